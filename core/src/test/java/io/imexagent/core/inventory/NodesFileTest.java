package io.imexagent.core.inventory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class NodesFileTest {

    private static final NodeIdentity HOST =
            NodeIdentity.of(List.of("10.0.0.2", "127.0.0.1", "fe80::2", "tray-2", "::1"));

    @Test
    void findsTheHostsOwnLineInAnyForm() {
        assertThat(file(HOST, "10.0.0.1", "10.0.0.2").own()).hasValue(1);
        assertThat(file(HOST, "10.0.0.1", "::ffff:10.0.0.2").own()).hasValue(1);
        assertThat(file(HOST, "10.0.0.1", "TRAY-2.rack.example.").own()).hasValue(1);
        assertThat(file(NodeIdentity.of(List.of("2001:db8::7")), "2001:0DB8:0:0::0007")
                        .own())
                .hasValue(0);
    }

    @Test
    void theLoopbackIsNoHostsOwnLine() {
        NodesFile file = file(HOST, "127.0.0.1", "localhost", "10.0.0.9");

        assertThat(file.own()).isEmpty();
        assertThat(file.addressList()).containsExactly("tray-2", "10.0.0.2");
    }

    @Test
    void filesThatAreEqualAsValuesHaveOneDigest() {
        assertThat(file(HOST, "10.0.0.1", "2001:DB8::1", "Tray-3").digest())
                .isEqualTo(file(HOST, "::ffff:10.0.0.1", "2001:db8:0::1", "tray-3.")
                        .digest());
        assertThat(file(HOST, "10.0.0.1", "10.0.0.2").digest())
                .isNotEqualTo(file(HOST, "10.0.0.2", "10.0.0.1").digest());
        assertThat(file(HOST, "10.0.0.1", "10.0.0.2").digest())
                .isNotEqualTo(file(HOST, "10.0.0.110.0.0.2").digest());
    }

    @Test
    void of255AddressesAllAreReportedAndOfMoreTheDigestAlone() {
        List<String> all =
                IntStream.rangeClosed(1, 255).mapToObj(i -> "100.100.100." + i).toList();

        NodesFile whole = NodesFile.of(all, HOST, false);
        NodesFile long255 =
                NodesFile.of(all.stream().map(line -> line + ".long.example").toList(), HOST, false);
        NodesFile many = NodesFile.of(Collections.nCopies(100_000, "n"), HOST, false);

        assertThat(whole.lineList()).isEqualTo(all);
        assertThat(whole.isTooLong()).isFalse();
        assertThat(long255.lines()).isEmpty();
        assertThat(long255.isTooLong()).isTrue();
        assertThat(many.isTooLong()).isTrue();
        assertThat(many.count()).isEqualTo(100_000);
        assertThat(many.digest())
                .isNotEqualTo(NodesFile.of(Collections.nCopies(100_001, "n"), HOST, false)
                        .digest());
    }

    @Test
    void aFileWithoutLinesHasNone() {
        assertThat(file(HOST).count()).isZero();
        assertThat(file(HOST).isTooLong()).isFalse();
        assertThat(file(HOST).ownLine()).isEmpty();
    }

    @Property(tries = 300)
    void whateverAFileHasIsBoundedAndPlain(@ForAll @Size(max = 300) List<String> lines) {
        NodesFile file = NodesFile.of(lines, HOST, false);

        assertThat(file.lines()).matches("[0-9A-Za-z.:%_ -]{0,4096}");
        assertThat(file.addresses()).matches("[0-9A-Za-z.:%_ -]{0,1000}");
        if (!file.isTooLong()) {
            assertThat(file.lineList()).hasSize(lines.size());
        }
    }

    @Test
    void whatANodeWritesIsCutToTheBounds() {
        var file = new NodesFile(
                "0".repeat(32), 3, OptionalInt.of(999), false, "a\u001b[2J  b\n" + " c".repeat(9_999), "\u0007");

        assertThat(file.lineList()).hasSize(256).startsWith("a__2J", "b", "c");
        assertThat(file.addresses()).isEqualTo("_");
        assertThat(file.ownLine()).isEmpty();
        assertThatThrownBy(() -> new NodesFile("<script>", 3, OptionalInt.empty(), false, "", ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theTextThatFilesShareIsKeptAsItIs() {
        String lines = "10.0.0.1 10.0.0.2";
        String digest = "0".repeat(32);

        assertThat(new NodesFile(digest, 2, OptionalInt.of(0), false, lines, "").lines())
                .isSameAs(lines);
    }

    private static NodesFile file(NodeIdentity host, String... lines) {
        return NodesFile.of(List.of(lines), host, false);
    }
}
