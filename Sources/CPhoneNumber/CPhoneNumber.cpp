#include "CPhoneNumber.h"

#include <phonenumbers/phonenumberutil.h>

#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

const PhoneNumberUtil &plans() { return *PhoneNumberUtil::GetInstance(); }

// "ZZ" is the library's name for no region.
std::string name(uint16_t region) {
    if (region == 0) return "ZZ";
    return {static_cast<char>(region >> 8), static_cast<char>(region & 0xff)};
}

bool parse(const std::string &text, uint16_t region, PhoneNumber *number) {
    return plans().Parse(text, name(region), number) == PhoneNumberUtil::NO_PARSING_ERROR;
}

}  // namespace

uint64_t cphone_number(const char *text, uint16_t region) {
    PhoneNumber number;
    // A number that can be dialled only within its area is not possible here.
    if (!parse(text, region, &number) || plans().IsPossibleNumberWithReason(number) != PhoneNumberUtil::IS_POSSIBLE) return 0;
    std::string e164;
    plans().Format(number, PhoneNumberUtil::E164, &e164);
    if (e164.size() < 2 || e164.size() > 16) return 0;
    return std::stoull(e164.substr(1));
}

uint16_t cphone_region(uint64_t digits) {
    PhoneNumber number;
    if (!parse("+" + std::to_string(digits), 0, &number)) return 0;
    std::string region;
    plans().GetRegionCodeForNumber(number, &region);
    // Several regions share the calling code, and no plan of them knows the number.
    if (region == "ZZ") plans().GetRegionCodeForCountryCode(number.country_code(), &region);
    // Numbers of services that no region has are of "001".
    if (region.size() != 2 || region == "ZZ") return 0;
    return static_cast<uint16_t>(static_cast<unsigned char>(region[0]) << 8 | static_cast<unsigned char>(region[1]));
}

int32_t cphone_calling_code(uint16_t region) { return region == 0 ? 0 : plans().GetCountryCodeForRegion(name(region)); }
