// libgd, and the libraries that it uses for JPEG, PNG and WebP. This program also calls those libraries directly, because libgd cannot tell
// a picture's size before it decodes the picture, and cannot stop while it decodes.
#include <stdio.h>
#include <gd.h>
#include <jpeglib.h>
#include <jerror.h>
#include <png.h>
#include <webp/decode.h>
#include <webp/demux.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>

// Tells the kernel to kill this process when the thread that started it ends. Written in C because Swift cannot call prctl, which has a
// variable number of arguments.
static inline int greentea_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL); }

// glibc has this function since version 2.34, but the declarations that Swift imports from spawn.h lack it.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Converts one row of libgd's pixels to brightness, one byte for each pixel, on a white background. The weights of the colours are those
// of Rec. 601. libgd's transparency has seven bits.
static inline void greentea_grey_row(const int *pixels, unsigned char *grey, int count)
{
    for (int i = 0; i < count; i++) {
        int red = gdTrueColorGetRed(pixels[i]), green = gdTrueColorGetGreen(pixels[i]), blue = gdTrueColorGetBlue(pixels[i]);
        int bright = (299 * red + 587 * green + 114 * blue) / 1000, clear = gdTrueColorGetAlpha(pixels[i]);
        grey[i] = (unsigned char)((bright * (gdAlphaMax - clear) + 255 * clear) / gdAlphaMax);
    }
}

// Converts one row of libjpeg's samples to libgd's pixels, by the formulas of libgd's own reader. If a pixel has three samples, they are
// red, green and blue; if it has four, they are the amounts of four inks (CMYK). Written in C because Swift without optimization needs
// seconds for the 25 million pixels of a photo.
static inline void greentea_set_row(int *pixels, const JSAMPLE *samples, int count, int has_inks, int is_inverted)
{
    int inversion = is_inverted ? 255 : 0;
    for (int i = 0; i < count; i++) {
        if (has_inks) {
            int light = 255 - (samples[3] ^ inversion);
            int red = (255 - (samples[0] ^ inversion)) * light / 255, green = (255 - (samples[1] ^ inversion)) * light / 255;
            pixels[i] = gdTrueColor(red, green, (255 - (samples[2] ^ inversion)) * light / 255);
            samples += 4;
        } else {
            pixels[i] = gdTrueColor(samples[0], samples[1], samples[2]);
            samples += 3;
        }
    }
}
