"""The recipe for conda-forge: it has the fields that are asked for there, and says what meson.build and pyproject.toml say."""

from __future__ import annotations

import re
import tomllib

import pytest
from built import ROOT

yaml = pytest.importorskip("yaml", reason="needs PyYAML")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MESON = (ROOT / "meson.build").read_text()
#: What conda-forge calls the libraries that meson.build asks pkg-config for. "threads" and "dl" are of the C library.
PACKAGES = {
    "sqlite3": "libsqlite",
    "jansson": "jansson",
    "msgpack-c": "msgpack-c",
    "libxxhash": "xxhash",
    "zlib": "zlib",
    "liblzma": "liblzma-devel",
    "liblz4": "lz4-c",
    "libzstd": "zstd",
    "libcurl": "libcurl",
}


def rendered(value, context):
    """A recipe with its expressions replaced: variables of the context by their values, functions by their argument."""
    if isinstance(value, dict):
        return {key: rendered(item, context) for key, item in value.items()}
    if isinstance(value, list):
        return [rendered(item, context) for item in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"\$\{\{ (?:compiler|stdlib)\(\"(\w+)\"\) \}\}", r"compiler-\1", value)
    return re.sub(r"\$\{\{ (\w+) \}\}", lambda name: context[name[1]], value)


@pytest.fixture(scope="module")
def recipe():
    raw = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    context = raw["context"] | {"PYTHON": "python", "target_platform": "linux-64"}
    return rendered(raw, context)


def without_blanks(requirement: str) -> str:
    """meson's "meson >= 1.3" and conda's "meson >=1.3" are the same."""
    return requirement.replace(" ", "")


def test_the_recipe_has_every_field_that_conda_forge_asks_for(recipe):
    assert recipe["schema_version"] == 1
    assert recipe["package"]["name"] == PROJECT["project"]["name"]
    assert recipe["build"]["number"] == 0 and recipe["build"]["script"]
    assert {"homepage", "repository", "summary", "license", "license_file"} <= set(recipe["about"])
    assert all(recipe["about"].values()) and recipe["extra"]["recipe-maintainers"]
    assert {"compiler-c"} < {item for item in recipe["requirements"]["build"] if isinstance(item, str)}
    assert "${{" not in str(recipe), "an expression that nothing explains"


def test_the_recipe_says_what_the_project_says_of_itself(recipe):
    project = PROJECT["project"]
    assert recipe["package"]["version"] == project["version"] == re.search(r"^  version: '(.*)',$", MESON, re.MULTILINE)[1]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"] == project["license"]
    assert [recipe["about"]["license_file"]] == project["license-files"]


def test_the_recipe_is_built_with_what_meson_asks_for(recipe):
    asked = re.findall(r"= dependency\('([\w-]+)'(?:, '[\w-]+')*(?:, version: '(.*?)')?", MESON)
    libraries = {without_blanks(PACKAGES[name] + version) for name, version in asked if name not in ("threads", "dl")}
    tools = {without_blanks(tool) for tool in PROJECT["build-system"]["requires"]}
    assert len(asked) == len(PACKAGES) + 2
    assert {without_blanks(item) for item in recipe["requirements"]["host"]} == {"python", "pip"} | libraries | tools
    assert recipe["requirements"]["run"] == ["python", *PROJECT["project"]["dependencies"]]


def test_the_recipe_has_the_checksum_of_a_release_once_there_is_one(recipe):
    newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    checksum, address = recipe["source"]["sha256"], recipe["source"]["url"]
    assert address.endswith(f"/roastcoffea-{PROJECT['project']['version']}.tar.gz")
    assert re.fullmatch(r"[0-9a-f]{64}", checksum)
    assert (set(checksum) == {"0"}) == newest.endswith("(unreleased)")


def test_the_recipe_tries_the_package_and_the_command(recipe):
    modules = [name for test in recipe["tests"] for name in test.get("python", {}).get("imports", [])]
    lines = [line for test in recipe["tests"] for line in test.get("script", [])]
    assert "roastcoffea._core" in modules
    assert any(line.startswith("roast ") for line in lines)
