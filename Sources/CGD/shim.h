// libgd, and the libraries of the formats that it is built on: it cannot be asked for a size before it decodes, nor to end a decoding.
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

// Swift calls no C function with a variable number of arguments, and prctl is one: the process is killed when the thread that started
// it ends.
static inline int greentea_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL); }

// glibc 2.34; Swift's own view of spawn.h leaves it out.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// One row of libgd's pixels as bytes of brightness on white, with the weights of Rec. 601 and libgd's seven bits of transparency.
static inline void greentea_grey_row(const int *pixels, unsigned char *grey, int count)
{
    for (int i = 0; i < count; i++) {
        int red = gdTrueColorGetRed(pixels[i]), green = gdTrueColorGetGreen(pixels[i]), blue = gdTrueColorGetBlue(pixels[i]);
        int bright = (299 * red + 587 * green + 114 * blue) / 1000, clear = gdTrueColorGetAlpha(pixels[i]);
        grey[i] = (unsigned char)((bright * (gdAlphaMax - clear) + 255 * clear) / gdAlphaMax);
    }
}

// One row of libjpeg's samples as libgd's pixels, by the formulas of libgd's own reader: three samples are red, green and blue, four are
// inks. In C because a build without optimization takes seconds for the 25 million pixels of a photo in Swift.
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
