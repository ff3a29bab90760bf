// Numbering plans, by libphonenumber. A number in E.164 form has at most 15 digits and never begins with 0, so it is passed as an integer.
// A region is the two letters of ISO 3166, the first in the high byte; 0 is no region. Any thread may call.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The E.164 number in a typed text; 0 unless it is a possible number of its plan. Without a region, the text must have its calling code.
uint64_t cphone_number(const char *text, uint16_t region);

// The region of an E.164 number, or the main region of its calling code for a number that no plan knows; 0 for a number of no region.
uint16_t cphone_region(uint64_t number);

// The calling code of a region; 0 for a region without a numbering plan.
int32_t cphone_calling_code(uint16_t region);

#ifdef __cplusplus
}
#endif
