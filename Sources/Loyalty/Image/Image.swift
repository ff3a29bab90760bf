/// A picture of a shop, a campaign or a person (图片). Decisions know it by its id alone; its bytes are no event.
public enum Image {}
