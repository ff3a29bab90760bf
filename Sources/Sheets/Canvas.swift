import CCairo

/// The pages of a PDF, drawn by Cairo with texts by Pango. Lengths are in points (1/72 inch) from the upper left corner. Belongs to one
/// thread. Output bytes depend only on the drawing, the fonts and the versions of Cairo and Pango.
///
/// Pango takes each character from a font that has it, or draws a box; see ``Line/isWhole``.
@safe final class Canvas {
    /// A text laid out once, for any page.
    @safe final class Line {
        fileprivate let layout: OpaquePointer
        let height: Double
        /// The fonts have every character.
        let isWhole: Bool

        fileprivate init(_ layout: OpaquePointer) {
            unsafe self.layout = unsafe layout
            var size: (width: Int32, height: Int32) = (0, 0)
            // SAFETY: Pango only fills two local numbers during the call.
            unsafe pango_layout_get_size(layout, &size.width, &size.height)
            height = Double(size.height) / Double(greentea_pango_scale)
            isWhole = unsafe pango_layout_get_unknown_glyphs_count(layout) == 0
        }

        // SAFETY: this object owns the layout, and nothing uses it afterwards.
        deinit { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }
    }

    private final class Sink {
        var bytes: [UInt8] = []
    }

    private let sink: Sink
    private let surface: OpaquePointer
    private let context: OpaquePointer

    /// - Parameter created: the creation date, in the form of RFC 3339.
    init?(width: Double, height: Double, title: String, created: String) {
        let sink = Sink()
        // SAFETY: Cairo calls the function with this sink, until the surface is finished. The canvas keeps the sink for as long.
        let write: cairo_write_func_t = { sink, data, count in
            guard let sink = unsafe sink, let data = unsafe data else { return CAIRO_STATUS_WRITE_ERROR }
            let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(count))
            unsafe Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().bytes += unsafe bytes
            return CAIRO_STATUS_SUCCESS
        }
        // SAFETY: Cairo never returns null here. Errors are in the status, which `finish` checks.
        guard let surface = unsafe cairo_pdf_surface_create_for_stream(write, Unmanaged.passUnretained(sink).toOpaque(), width, height),
            let context = unsafe cairo_create(surface)
        else { return nil }
        self.sink = sink
        unsafe (self.surface, self.context) = unsafe (surface, context)
        unsafe cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4)
        unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, created)
        unsafe cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
    }

    // SAFETY: this object owns the context and the surface, and nothing uses them afterwards. Cairo's last bytes go to the sink, which
    // still exists.
    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    /// - Parameter lines: at most this many of each paragraph; the rest becomes an ellipsis.
    func line(_ text: String, font: String, width: Double, lines: Int = 1, isCentered: Bool = false) -> Line? {
        // SAFETY: Pango copies text and font during the calls. The `Line` owns the layout and frees it once.
        guard let layout = unsafe pango_cairo_create_layout(context) else { return nil }
        let pango = unsafe pango_layout_get_context(layout)
        unsafe pango_cairo_context_set_resolution(pango, 72)
        // Pango then prefers Chinese forms of characters to Japanese ones.
        unsafe pango_context_set_language(pango, pango_language_from_string("zh-cn"))
        unsafe pango_layout_context_changed(layout)
        let description = unsafe pango_font_description_from_string(font)
        unsafe pango_layout_set_font_description(layout, description)
        unsafe pango_font_description_free(description)
        unsafe pango_layout_set_width(layout, Int32(width * Double(greentea_pango_scale)))
        unsafe pango_layout_set_height(layout, Int32(-lines))
        unsafe pango_layout_set_wrap(layout, Int32(greentea_pango_wrap_word_char))
        unsafe pango_layout_set_ellipsize(layout, Int32(greentea_pango_ellipsize_end))
        if isCentered { unsafe pango_layout_set_alignment(layout, Int32(greentea_pango_align_center)) }
        unsafe pango_layout_set_text(layout, text, -1)
        return unsafe Line(layout)
    }

    func draw(_ line: Line, x: Double, y: Double) {
        unsafe cairo_move_to(context, x, y)
        unsafe pango_cairo_show_layout(context, line.layout)
    }

    /// For the next ``fill()`` or ``stroke(width:)``.
    func add(x: Double, y: Double, width: Double, height: Double) { unsafe cairo_rectangle(context, x, y, width, height) }

    /// For the next ``fill()`` or ``stroke(width:)``.
    func add(from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
        unsafe cairo_move_to(context, start.x, start.y)
        unsafe cairo_line_to(context, end.x, end.y)
    }

    func fill() { unsafe cairo_fill(context) }

    /// Draws what `body` adds in a color of red, green and blue, and everything else in black.
    func inColor(_ color: [UInt8]?, _ body: () -> Void) {
        guard let color, color.count == 3 else { return body() }
        unsafe cairo_set_source_rgb(context, Double(color[0]) / 255, Double(color[1]) / 255, Double(color[2]) / 255)
        body()
        unsafe cairo_set_source_rgb(context, 0, 0, 0)
    }

    func stroke(width: Double) {
        unsafe cairo_set_line_width(context, width)
        unsafe cairo_stroke(context)
    }

    func endPage() { unsafe cairo_show_page(context) }

    /// Ends the file; nil after an error of Cairo, such as a lack of memory.
    func finish() -> [UInt8]? {
        unsafe cairo_surface_finish(surface)
        let isWhole = unsafe cairo_status(context) == CAIRO_STATUS_SUCCESS && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
        return isWhole ? sink.bytes : nil
    }
}
