package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CdiSpecWriterTest {

    @Example
    void writesAClaimsSpecForPeopleToo() {
        ClaimEdits edits = Channels.edits(new ClaimUid("7f3c0156-3566-44cf-a6f8-8acd6bcbbf17"), 7, 511);

        assertThat(new String(CdiSpecWriter.encode(Channels.KIND, edits), UTF_8))
                .isEqualTo("""
                        {
                          "cdiVersion" : "0.5.0",
                          "kind" : "k8s.compute-domain.nvidia.com/claim",
                          "devices" : [ {
                            "name" : "7f3c0156-3566-44cf-a6f8-8acd6bcbbf17-channel-7",
                            "containerEdits" : {
                              "deviceNodes" : [ {
                                "path" : "/dev/nvidia-caps-imex-channels/channel7",
                                "type" : "c",
                                "major" : 511,
                                "minor" : 7,
                                "fileMode" : 438
                              } ]
                            }
                          } ]
                        }
                        """);
    }

    @Property
    void everyTextComesBackAsItWentIn(@ForAll("texts") String text) throws Exception {
        var edits = new ClaimEdits.Edits(
                List.of(new ClaimEdits.DeviceNodeEdits("/" + text, 0, 7)),
                List.of("A=" + text),
                List.of(new ClaimEdits.Interface("h" + text, "n" + text)),
                List.of(new ClaimEdits.Mount("/" + text, "/" + text)),
                List.of(new ClaimEdits.Hook("poststop", "/" + text, List.of(text, "b"))));
        var device = new ClaimEdits.DeviceEdits("", edits);
        var claim = new ClaimEdits(edits, new TreeMap<>(Map.of("d", device, "e", device)));

        byte[] written = CdiSpecWriter.encode(Channels.KIND, claim);
        CdiSpec read = CdiSpecReader.yaml().read(written);

        assertThat(CdiSpecReader.json().read(written)).isEqualTo(read);

        assertThat(read.edits()).isEqualTo(claim);
        assertThat(read.containerEdits().hooks())
                .map(hook -> hook.args().getFirst())
                .containsExactly("/" + text);
        assertThat(read.containerEdits().mounts())
                .containsExactly(
                        new ContainerEdits.Mount("/" + text, "/" + text, List.of("ro", "nosuid", "nodev", "bind")));
    }

    /** Such as YAML parsers would refuse the whole file for, and runtimes with it. */
    @Example
    void aTextBeyondTheEscapesOfYamlBreaksARule() {
        String smile = "\uD83D\uDE00";
        String half = "\uD83D";
        var edits = new ClaimEdits.Edits(
                List.of(new ClaimEdits.DeviceNodeEdits("/" + smile, 0, 7)),
                List.of("A=" + half),
                List.of(new ClaimEdits.Interface(smile, smile)),
                List.of(new ClaimEdits.Mount("/" + smile, "/" + smile)),
                List.of(new ClaimEdits.Hook("poststop", "/" + smile, List.of(half))));

        assertThat(SpecRules.faults(new ClaimEdits(edits, new TreeMap<>())))
                .filteredOn(fault -> fault.endsWith("must have no character beyond U+FFFF"))
                .hasSize(8);
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<String> treacherous = Arbitraries.of(
                "",
                " ",
                "yes",
                "No",
                "ON",
                "null",
                "~",
                "true",
                "0",
                "007",
                "1e5",
                "0x1F",
                "1_000",
                "12:30:45",
                "2026-11-21",
                ".inf",
                ".nan",
                "-",
                "- a",
                "? a",
                ": a",
                "a: b",
                "a #b",
                "#",
                "&a",
                "*a",
                "!t",
                "|",
                ">",
                "%a",
                "@a",
                "`a",
                "{a}",
                "[a]",
                "'",
                "\"",
                "\\",
                "\\u0041",
                "\t",
                "\n",
                "a\n\nb",
                "\r\n",
                "\0",
                "\u0085",
                "\u2028",
                "\u2029",
                "\uFEFF",
                "é",
                "---",
                "...",
                "<<",
                "=",
                "y",
                "N",
                "/",
                "a ");
        Arbitrary<String> arbitrary = Arbitraries.strings()
                .all()
                .ofMaxLength(20)
                .filter(text -> text.chars().noneMatch(c -> Character.isSurrogate((char) c)))
                .filter(text -> text.indexOf('\0') < 0);
        return Arbitraries.oneOf(treacherous.filter(text -> text.indexOf('\0') < 0), arbitrary);
    }
}
