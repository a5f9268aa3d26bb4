#include <cstdint>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/io/yaml_node.hpp"
#include "tests/unit/config/scratch_folder.hpp"

namespace stcsim {
namespace {

std::string load_error(const std::string& text) {
  return error_of([&] { (void)parse_yaml(text, "f.yaml"); });
}

TEST(YamlLoader, KeepsValuesOrderAndPlaces) {
  const YamlNode root =
      parse_yaml("b: 1\na:\n  - x\n  - {k: 'q', l: [1, 2]}\nc: \"2:4\"\n", "f.yaml").root;
  ASSERT_TRUE(root.is_map());
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].key, "a");
  EXPECT_EQ(root.entries[2].key, "c");
  EXPECT_EQ(root.entries[1].key_location.to_string(), "f.yaml:2:1");
  const YamlNode& list = root.entries[1].value;
  ASSERT_TRUE(list.is_list());
  EXPECT_EQ(list.location.to_string(), "f.yaml:3:3");
  EXPECT_EQ(list.items[0].text, "x");
  EXPECT_EQ(list.items[0].location.to_string(), "f.yaml:3:5");
  EXPECT_FALSE(list.items[0].quoted);
  const YamlNode* const k = list.items[1].find("k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->text, "q");
  EXPECT_TRUE(k->quoted);
  EXPECT_EQ(k->location.to_string(), "f.yaml:4:9");
  EXPECT_EQ(list.items[1].find("l")->items[1].location.to_string(), "f.yaml:4:21");
  EXPECT_EQ(root.find("c")->text, "2:4");
  EXPECT_EQ(root.find("z"), nullptr);
  EXPECT_EQ(list.find("b"), nullptr);
}

/// Most memory of this process so far, in MiB.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) >> 10U;
  }
  return -1;
}

std::string repeated(const std::string& text, std::int64_t count) {
  std::string all;
  for (std::int64_t at = 0; at < count; ++at) all += text;
  return all;
}

TEST(YamlLoader, ManyValuesAreRefusedBeforeTheyTakeMemory) {
  const ScratchFolder folder;
  [[maybe_unused]] const std::int64_t before = peak_memory();
  const auto refusal = [&](const std::string& text) {
    return error_of([&] { (void)load_yaml(folder.write("a.yaml", text)); });
  };
  for (const char* const one : {"a,", "[],", "{},", "{a: b},"}) {
    EXPECT_THAT(refusal("list: [" + repeated(one, 301'000) + "]"),
                testing::HasSubstr("a.yaml: error: it has more than 300000 commas and brackets"));
  }
  EXPECT_THAT(refusal("list: [" + repeated("a,", 4'000'000) + "]"),
              testing::HasSubstr("must be fewer"));
  // The map, its key and the list are three.
  EXPECT_THAT(refusal("list:\n" + repeated("- a\n", 300'000)),
              testing::HasSubstr("a.yaml:299999:3: error: the file has more than 300000 keys"));
  // What just fits is read.
  const std::string most = "list: [" + repeated("a,", 299'990) + "]";
  EXPECT_EQ(load_yaml(folder.write("b.yaml", most)).root.find("list")->items.size(), 299'990U);
#if !defined(STCSIM_SANITIZED)
  EXPECT_LT(peak_memory() - before, 200);
#endif
}

TEST(YamlLoader, ReadsColonsInPlainScalars) {
  const YamlNode root = parse_yaml("a: 2:4\nb: {p: 2:4, q: [1:8, 2:8]}\n", "f.yaml").root;
  EXPECT_EQ(root.find("a")->text, "2:4");
  EXPECT_EQ(root.find("b")->find("p")->text, "2:4");
  EXPECT_EQ(root.find("b")->find("q")->items[0].text, "1:8");
}

TEST(YamlLoader, ReadsJson) {
  const YamlNode root =
      parse_yaml("{\"a\":1,\"b\":[true,\"x\\u00e9\\n\"],\"c\":{\"d\":1e+22}}", "f.json").root;
  EXPECT_EQ(root.find("a")->text, "1");
  EXPECT_FALSE(root.find("a")->quoted);
  EXPECT_EQ(root.find("b")->items[1].text, "x\xC3\xA9\n");
  EXPECT_TRUE(root.find("b")->items[1].quoted);
  EXPECT_EQ(root.find("c")->find("d")->text, "1e+22");
}

TEST(YamlLoader, AcceptsWindowsLinesAndByteOrderMark) {
  const YamlNode root = parse_yaml(
                            "\xEF\xBB\xBF"
                            "a: 1\r\nb: 2\r\n",
                            "f.yaml")
                            .root;
  EXPECT_EQ(root.find("a")->text, "1");
  EXPECT_EQ(root.find("b")->text, "2");
  EXPECT_EQ(root.find("b")->location.line, 2);
}

TEST(YamlLoader, PlacesEmptyValuesAtTheirKeyOrList) {
  const YamlNode root = parse_yaml("a:\nb: ~\nc:\n  -\n  -\n", "f.yaml").root;
  EXPECT_EQ(root.find("c")->items.at(1).kind, YamlKind::null);
  EXPECT_EQ(root.find("c")->items.at(1).location.to_string(), "f.yaml:4:3");
  EXPECT_EQ(root.find("a")->kind, YamlKind::null);
  EXPECT_EQ(root.find("a")->location.to_string(), "f.yaml:1:1");
  EXPECT_EQ(root.find("b")->kind, YamlKind::null);
}

const std::string kNoAnchors =
    "anchors, aliases and merge keys (&, *, <<) are not supported, use extends";
const std::string kEmptyFile = "1:1: error: the file is empty, must be a map of keys and values";

const std::vector<Message> kYamlLoaderMessages{
    // Duplicate keys at any depth.
    {"a: 1\nb: 2\na: 3\n", "3:1: error: key 'a' is here a second time, the first is at line 1"},
    {"top:\n  - x: 1\n  - {k: 1, j: {m: 1,\n     m: 2}}\n",
     "4:6: error: key 'm' is here a second time, the first is at line 3"},
    {"a: 1\n\"a\": 3\n", "2:1: error: key 'a' is here a second time, the first is at line 1"},
    // Anchors, aliases, merge keys and tags.
    {"a: &x 1\nb: 2\n", "1:4: error: " + kNoAnchors},
    {"a: &x {c: 1}\nb: *x\n", "1:4: error: " + kNoAnchors},
    {"a: 1\n<<: {b: 2}\n", "2:1: error: merge keys (<<) are not supported, use extends"},
    {"a: !!int 1\n", "1:4: error: tags (!) are not supported, leave it out"},
    // Several documents.
    {"a: 1\n---\nb: 2\n", "2:1: error: a second document begins here, must be one per file"},
    // Keys that are no names.
    {"[1, 2]: x\n", "1:1: error: a key is a list, must be a name (or is a ']' missing?)"},
    {"{a: 1}: x\n", "1:1: error: a key is a map, must be a name (or is a '}' missing?)"},
    {"~: x\n", "1:1: error: a key is empty, must be a name"},
    // Empty files and other top levels.
    {"", kEmptyFile},
    {"# only a comment\n", kEmptyFile},
    {"---\n", kEmptyFile},
    {"- 1\n", "1:1: error: the file is a list, must be a map of keys and values"},
    {"\nhello\n", "2:1: error: the file is 'hello', must be a map of keys and values"},
    // Syntax errors, with their place.
    {"a: [1, 2\nb: 3\n", "2:2: error: not valid YAML: end of sequence flow not found"},
    {"a: 1\n b: 2\n", "2:3: error: not valid YAML: illegal map value"},
    // Something missing at the end, which is placed on the last line.
    {"a: 1\nb: [1, 2\n", "2:1: error: not valid YAML: end of sequence flow not found"},
    {"a: 1\nb: \"x\n\n", "3:1: error: not valid YAML: illegal EOF in scalar"},
};

TEST(YamlLoader, SaysWhatIsWrong) {
  expect_messages(load_error, "f.yaml:", kYamlLoaderMessages);
}

TEST(YamlLoader, RefusesQuotesThatAreNeverClosed) {
  for (const char* text : {"a: \"x", "a: \"x\n", "a: 'x", "a: 'x\n\n"}) {
    EXPECT_NE(load_error(text).find(": error: not valid YAML: illegal EOF in scalar"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(parse_yaml("a: |\n  x\n  # y\n", "f.yaml").root.find("a")->text, "x\n# y\n");
}

TEST(YamlLoader, RefusesNestingBeyondAllReason) {
  EXPECT_EQ(load_error("a: " + std::string(100000, '[')),
            "f.yaml:1:504: error: more than 500 brackets are open here");
  EXPECT_EQ(load_error("a: \"" + std::string(500, '[') + "\"\n"), "no error");
  std::string lines = "a:\n";
  for (int at = 0; at < 100'000; ++at) lines += " [\n";
  EXPECT_TRUE(load_error(lines).starts_with("f.yaml:"));
}

TEST(YamlLoader, RefusesTabsControlCharactersAndOtherEncodings) {
  EXPECT_EQ(load_error("a:\n \tb: 1\n"), "f.yaml:2:2: error: tab in the indentation, use spaces");
  EXPECT_EQ(load_error("a: 1\nb: \x04 2\n"),
            "f.yaml:2:4: error: control character 0x04, must be text");
  EXPECT_EQ(load_error("a: é\u009B2J\n"),
            "f.yaml:1:6: error: control character 0x9b, must be text");
  EXPECT_EQ(load_error("a: 1 # \u202E\n"),
            "f.yaml:1:8: error: control character 0x202e, must be text");
  EXPECT_EQ(load_error(std::string("a: \0", 4)),
            "f.yaml:1:4: error: byte 0x00 is not text (is it UTF-16?), must be text in UTF-8");
  EXPECT_EQ(
      load_error("a: \xE9\n"),
      "f.yaml:1:4: error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in UTF-8");
  EXPECT_EQ(load_error(std::string("\xFF\xFE"
                                   "a\0:\0",
                                   6)),
            "f.yaml:1:1: error: the text is UTF-16, must be UTF-8");
  std::string keys;
  for (int at = 0; at < 10'000; ++at) keys += "k" + std::to_string(at) + ": 1\n";
  EXPECT_NO_THROW((void)parse_yaml(keys, "f.yaml"));
  EXPECT_EQ(load_error(keys + "more: 1\n"),
            "f.yaml:10001:1: error: a map has more than 10000 keys");
  EXPECT_EQ(load_error(std::string("\xFE\xFF\0a\0:", 6)),
            "f.yaml:1:1: error: the text is UTF-16, must be UTF-8");
  EXPECT_EQ(load_error("a: 1\t# a tab before a comment\n"), "no error");
}

TEST(YamlLoader, KnowsUtf8FromLookalikes) {
  for (const char* good : {"\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(load_error(std::string("a: x # ") + good), "no error");
  }
  for (const char* bad : {"\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3z"}) {
    EXPECT_TRUE(load_error(std::string("a: x # ") + bad).starts_with("f.yaml:1:8: error: byte 0x"))
        << testing::PrintToString(bad);
  }
}

TEST(YamlLoader, ReportsUnreadableFiles) {
  const ScratchFolder folder;
  const auto error_at = [](const std::string& path) {
    return error_of([&] { (void)load_yaml(path); });
  };
  EXPECT_EQ(error_at(folder.at("none.yaml")),
            "error: cannot read " + folder.at("none.yaml") + ": No such file or directory");
  EXPECT_EQ(error_at(folder.path().string()),
            "error: cannot read " + folder.path().string() + ": it is a directory, must be a file");
  EXPECT_EQ(error_at("/dev/zero"),
            "error: cannot read /dev/zero: it is larger than 8 MiB, must be a configuration file");
}

TEST(YamlLoader, LoadsAFileUnderItsPath) {
  const ScratchFolder folder;
  const std::string path = folder.write("x.yaml", "a: 1\n");
  const YamlDocument document = load_yaml(path);
  EXPECT_EQ(document.path.string(), path);
  EXPECT_EQ(document.root.find("a")->location.to_string(), path + ":1:4");
}

TEST(YamlValue, TakesTheGivenPlaceThroughout) {
  const SourceLocation where{"--set a=b", 0, 0};
  const YamlNode node = parse_yaml_value("{x: [1, 2]}", where);
  EXPECT_EQ(node.location.to_string(), "--set a=b");
  EXPECT_EQ(node.entries[0].key_location.to_string(), "--set a=b");
  EXPECT_EQ(node.find("x")->items[1].location.to_string(), "--set a=b");
  EXPECT_EQ(parse_yaml_value("", where).kind, YamlKind::null);
  EXPECT_EQ(error_of([&] { (void)parse_yaml_value("[1", where); }),
            "--set a=b: error: a key is a list, must be a name (or is a ']' missing?)");
}

}  // namespace
}  // namespace stcsim
