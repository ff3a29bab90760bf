// libzbar, which finds QR codes in pictures. It is not linked, because it would make the server load X11, D-Bus and Video4Linux. Only the
// child process that decodes pictures opens it, at run time.
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zbar.h>

// The functions of libzbar that are used, with their types from its header.
typedef struct {
    __typeof__(&zbar_image_scanner_create) scanner_create;
    __typeof__(&zbar_image_scanner_destroy) scanner_destroy;
    __typeof__(&zbar_image_scanner_set_config) set_config;
    __typeof__(&zbar_scan_image) scan;
    __typeof__(&zbar_image_create) image_create;
    __typeof__(&zbar_image_destroy) image_destroy;
    __typeof__(&zbar_image_set_format) set_format;
    __typeof__(&zbar_image_set_size) set_size;
    __typeof__(&zbar_image_set_data) set_data;
    __typeof__(&zbar_image_first_symbol) first_symbol;
    __typeof__(&zbar_symbol_get_data) data;
    __typeof__(&zbar_symbol_get_data_length) data_length;
} greentea_zbar;

#define GREENTEA_FIND(field, name) (*(void **)&found->field = dlsym(library, name)) != NULL

// Opens the library and finds its functions. Returns 0 if the library is not installed or lacks one of the functions.
static inline int greentea_zbar_open(greentea_zbar *found)
{
    void *library = dlopen("libzbar.so.0", RTLD_NOW | RTLD_LOCAL);
    return library != NULL && GREENTEA_FIND(scanner_create, "zbar_image_scanner_create")
        && GREENTEA_FIND(scanner_destroy, "zbar_image_scanner_destroy") && GREENTEA_FIND(set_config, "zbar_image_scanner_set_config")
        && GREENTEA_FIND(scan, "zbar_scan_image") && GREENTEA_FIND(image_create, "zbar_image_create")
        && GREENTEA_FIND(image_destroy, "zbar_image_destroy") && GREENTEA_FIND(set_format, "zbar_image_set_format")
        && GREENTEA_FIND(set_size, "zbar_image_set_size") && GREENTEA_FIND(set_data, "zbar_image_set_data")
        && GREENTEA_FIND(first_symbol, "zbar_image_first_symbol") && GREENTEA_FIND(data, "zbar_symbol_get_data")
        && GREENTEA_FIND(data_length, "zbar_symbol_get_data_length");
}

// Finds a QR code in grey pixels, one byte each, and copies its content. Returns the number of bytes copied; 0 if there is no code; -1
// after an error, or if the content has more than `content_max` bytes.
static inline long greentea_zbar_read(
    const greentea_zbar *zbar, const uint8_t *grey, unsigned width, unsigned height, uint8_t *content, unsigned long content_max)
{
    long count = -1;
    zbar_image_scanner_t *scanner = zbar->scanner_create();
    zbar_image_t *image = zbar->image_create();
    if (scanner != NULL && image != NULL) {
        // Only QR codes are enabled, because a hostile picture could attack the decoder of every other kind of code too.
        zbar->set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0);
        zbar->set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1);
        zbar->set_format(image, 0x30303859UL); // "Y800": grey
        zbar->set_size(image, width, height);
        zbar->set_data(image, grey, (unsigned long)width * height, NULL);
        int found = zbar->scan(scanner, image);
        const zbar_symbol_t *symbol = found > 0 ? zbar->first_symbol(image) : NULL;
        if (found == 0) count = 0;
        if (symbol != NULL && zbar->data_length(symbol) <= content_max) {
            count = (long)zbar->data_length(symbol);
            memcpy(content, zbar->data(symbol), (size_t)count);
        }
    }
    if (image != NULL) zbar->image_destroy(image);
    if (scanner != NULL) zbar->scanner_destroy(scanner);
    return count;
}
