package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CdiSpecReaderTest {

    private static final Path RESOURCES = Path.of("src/test/resources");

    static Stream<Path> good() throws IOException {
        return specimens("good");
    }

    static Stream<Path> bad() throws IOException {
        return specimens("bad");
    }

    private static Stream<Path> specimens(String folder) throws IOException {
        try (Stream<Path> files = Files.list(RESOURCES.resolve("specs").resolve(folder))) {
            return files.sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    void takesAGoodSpecAndComputesTheVersionThatItNeeds(Path file) throws Exception {
        String name = file.getFileName().toString();
        CdiSpecReader reader = name.endsWith(".json") ? CdiSpecReader.json() : CdiSpecReader.yaml();

        CdiSpec spec = reader.read(Files.readAllBytes(file));

        assertThat(name).startsWith(spec.version().text());
        assertThat(CdiSpecWriter.version(spec.edits())).isEqualTo(spec.version().text());
    }

    @ParameterizedTest
    @MethodSource("good")
    void readsBackWhatIsWrittenOfAGoodSpec(Path file) throws Exception {
        CdiSpec spec = CdiSpecReader.yaml().read(Files.readAllBytes(file));

        CdiSpec again = CdiSpecReader.yaml().read(CdiSpecWriter.encode(spec.kind(), spec.edits()));

        assertThat(again.edits()).isEqualTo(spec.edits());
        assertThat(again.kind()).isEqualTo(spec.kind());
    }

    /** The first line of each bad specimen says what must be found wrong with it. */
    @ParameterizedTest
    @MethodSource("bad")
    void refusesABadSpecAndNamesTheField(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        String expected =
                new String(content, UTF_8).lines().findFirst().orElseThrow().substring(2);

        assertThatThrownBy(() -> CdiSpecReader.yaml().read(content))
                .isInstanceOf(InvalidCdiSpecException.class)
                .hasMessageContaining(expected.strip());
    }

    @Test
    void readsAFileModeInOctal() throws Exception {
        CdiSpec spec = CdiSpecReader.yaml()
                .read(Files.readAllBytes(RESOURCES.resolve("specs/good/0.3.0-everything-early.yaml")));

        assertThat(spec.devices()
                        .getFirst()
                        .containerEdits()
                        .deviceNodes()
                        .getFirst()
                        .fileMode())
                .isEqualTo(0660);
    }

    @Test
    void tellsAllBreachesOfTheRulesAtOnce() {
        var device = new ClaimEdits.DeviceEdits("", ClaimEdits.Edits.NONE);
        var claim = new ClaimEdits(ClaimEdits.Edits.NONE, new TreeMap<>(Map.of("a b", device, "b a", device)));

        assertThat(SpecRules.faults(claim)).hasSize(4);
    }

    @Test
    void grantsWhatThePublicDriverGrantedToTheCapturedClaim() throws Exception {
        var claim = new ClaimUid("7f3c0156-3566-44cf-a6f8-8acd6bcbbf17");
        CdiSpec captured = CdiSpecReader.yaml().read(Files.readAllBytes(RESOURCES.resolve("captured-claim.yaml")));

        byte[] written = CdiSpecWriter.encode(Channels.KIND, Channels.edits(claim, 0, 234));

        assertThat(CdiSpecReader.yaml().read(written)).isEqualTo(captured);
    }

    @Property
    void neverThrowsAnythingUnforeseenOnArbitraryBytes(@ForAll @Size(max = 200) byte[] content) {
        tryToRead(CdiSpecReader.yaml(), content);
        tryToRead(CdiSpecReader.json(), content);
    }

    @Property
    void neverThrowsAnythingUnforeseenOnABentSpec(@ForAll("bends") List<Bend> bends) throws IOException {
        byte[] content = Files.readAllBytes(RESOURCES.resolve("specs/good/0.3.0-everything-early.yaml"));
        for (Bend bend : bends) {
            content[Math.floorMod(bend.at, content.length)] = bend.to;
        }
        tryToRead(CdiSpecReader.yaml(), content);
    }

    @Provide
    Arbitrary<List<Bend>> bends() {
        return Combinators.combine(Arbitraries.integers(), Arbitraries.bytes())
                .as(Bend::new)
                .list()
                .ofMaxSize(30);
    }

    private static void tryToRead(CdiSpecReader reader, byte[] content) {
        try {
            assertThat(SpecRules.faults(reader.read(content).edits())).isEmpty();
        } catch (InvalidCdiSpecException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    record Bend(int at, byte to) {}
}
