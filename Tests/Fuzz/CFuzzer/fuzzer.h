// libFuzzer's own interface, which the toolchain ships without a header (compiler-rt, FuzzerInterface.h).
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*input)(const uint8_t *bytes, size_t count));
