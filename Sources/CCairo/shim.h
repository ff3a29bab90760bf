// Cairo, the few functions of Pango that set text with Cairo, and the one function of GObject that releases Pango's objects. Pango's
// headers are not included: they include GLib's headers, which need compiler flags and consist mostly of macros that Swift cannot read.
// Pango has had all functions of its own that are declared here since version 1.20, published in 2008.
#include <cairo/cairo.h>
#include <cairo/cairo-pdf.h>

typedef struct _PangoLayout PangoLayout;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoLanguage PangoLanguage;

// Constants from Pango's headers. Pango's unit of length is 1/1,024 of a unit of Cairo, which is a point in a PDF document.
enum { greentea_pango_scale = 1024, greentea_pango_ellipsize_end = 3, greentea_pango_align_center = 1, greentea_pango_wrap_word_char = 2 };

extern PangoLayout *pango_cairo_create_layout(cairo_t *context);
extern void pango_cairo_show_layout(cairo_t *context, PangoLayout *layout);
extern void pango_cairo_context_set_resolution(PangoContext *context, double dots_per_inch);
extern void pango_layout_context_changed(PangoLayout *layout);
extern PangoContext *pango_layout_get_context(PangoLayout *layout);
extern void pango_context_set_language(PangoContext *context, PangoLanguage *language);
extern PangoLanguage *pango_language_from_string(const char *language);
extern PangoFontDescription *pango_font_description_from_string(const char *text);
extern void pango_font_description_free(PangoFontDescription *description);
extern void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
extern void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
extern void pango_layout_set_width(PangoLayout *layout, int width);
extern void pango_layout_set_height(PangoLayout *layout, int height);
extern void pango_layout_set_wrap(PangoLayout *layout, int wrap);
extern void pango_layout_set_ellipsize(PangoLayout *layout, int mode);
extern void pango_layout_set_alignment(PangoLayout *layout, int alignment);
extern int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
extern void pango_layout_get_size(PangoLayout *layout, int *width, int *height);
extern void g_object_unref(void *object);
