#!/usr/bin/env bash
# Packages that hold a part of this one, for runs that would take far too long with all of it. Sourced after house.sh, not run.
set -euo pipefail

# trimmed_package FOLDER PACKAGE,… TARGET...: a package of these targets, of ours that they are built on, and of the packages that
# all these need, made from the real manifest, so that a target is compiled as it always is; $trimmed_addition is more Swift for its
# end. The folder gets links to our sources where it has none of its own.
trimmed_package() {
    local folder=$1 packages=$2 place manifest
    shift 2
    mkdir -p "$folder"
    for place in Sources Tests Fixtures Tools README.md; do
        [[ -e $folder/$place ]] || ln -s "$house_root/$place" "$folder/$place"
    done
    manifest=$(mktemp)
    trimmed_manifest "$packages" "$@" >"$manifest"
    # Left alone if it says the same: a newer manifest is read again, and all is planned anew.
    replace_if_other "$manifest" "$folder/Package.swift"
    rm -f "$manifest"
    [[ ! -f $house_root/Package.resolved ]] || replace_if_other "$house_root/Package.resolved" "$folder/Package.resolved"
}

trimmed_manifest() {
    local packages=$1
    shift
    cat "$house_root/Package.swift"
    cat <<TEXT

// From here on by Tools/lib/trimmed.sh.
var keptTargets: Set = [$(quoted_list "$@")]
let keptPackages: Set = [$(IFS=, && quoted_list $packages)]
var keptBefore = 0
while keptBefore < keptTargets.count {
    keptBefore = keptTargets.count
    for target in package.targets where keptTargets.contains(target.name) {
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): keptTargets.insert(name)
            default: break
            }
        }
    }
}
package.products.removeAll()
package.targets.removeAll { !keptTargets.contains(\$0.name) }
package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !keptPackages.contains { location.hasSuffix("/\\(\$0).git") }
}
${trimmed_addition:-}
TEXT
}

quoted_list() {
    [[ $# -eq 0 ]] || printf '"%s", ' "$@"
}

# replace_if_other SOURCE COPY: a copy whose time of change moves only with its content, so that nothing is built for nothing.
replace_if_other() {
    cmp -s "$1" "$2" || cp "$1" "$2"
}
