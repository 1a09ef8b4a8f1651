package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListingTest {

    private static final ConfigKey VENDORS = ConfigKeys.at("imex.service.vendors");

    @TempDir
    Path folder;

    @Test
    void aListIsTheSameInAFileAsListOrTextAndInAFlag() {
        List<String> vendors = List.of("Microsoft Corporation", "Super Micro Computer, Inc.");

        assertThat(file("vendors: [Microsoft Corporation, 'Super Micro Computer, Inc.']"))
                .isEqualTo(vendors);
        assertThat(file("vendors: Microsoft Corporation; Super Micro Computer, Inc."))
                .isEqualTo(vendors);
        assertThat(new ConfigFixture(folder)
                        .set("imex.service.vendors=Microsoft Corporation;Super Micro Computer, Inc.")
                        .config()
                        .imex()
                        .service()
                        .vendors())
                .isEqualTo(vendors);
    }

    @Test
    void anEmptyListIsNoList() {
        assertThat(faults("vendors: []")).contains("vendors as in");
        assertThat(faults("vendors: ''")).contains("vendors as in");
    }

    @Test
    void refusesListsOfAnythingElseAndEmptyEntries() {
        assertThat(faults("vendors: [{a: b}]")).contains("is a list with something else than texts in it");
        assertThat(faults("vendors: [[a], b]")).contains("is a list with something else than texts in it");
        assertThat(faults("vendors: [a;b]")).contains("has an entry that is empty or holds the separator ;");
        assertThat(faults("vendors: ['']")).contains("has an entry that is empty or holds the separator ;");
        assertThat(faults("vendors: a;;b")).contains("vendors as in");
        assertThat(faults("pciDevices: [2941, '31C2']")).isEmpty();
        assertThat(faults("pciDevices: ['2941,31C2']")).contains("holds the separator ,");
        assertThat(faults("pciDevices: ['0x2941']")).contains("four hexadecimal digits");
        assertThat(faults("packageName: [nvidia-imex]")).contains("is a list; expected the name of a package");
    }

    @Test
    void refusesAPatternThatIsNoneAndAPackageThatIsAnOption() {
        assertThat(faults("gpuNames: '(GB200'")).contains("a regular expression");
        assertThat(faults("packageName: --nogpgcheck")).contains("the name of a package");
        assertThat(faults("packageName: 'a b'")).contains("the name of a package");
    }

    @Property(tries = 200)
    void noTextMakesAListThatReadsAsAnother(@ForAll String text) {
        VENDORS.parse(text)
                .ifPresent(entries ->
                        assertThat(VENDORS.parse(VENDORS.print(entries))).contains(entries));
    }

    private List<String> file(String line) {
        return new ConfigFixture(folder)
                .file("imex:\n  service:\n    " + line + "\n")
                .config()
                .imex()
                .service()
                .vendors();
    }

    private static String faults(String line) {
        var draft = new ConfigDraft(Optional.empty());
        FileLayer.read(Path.of("f"), "imex:\n  service:\n    " + line + "\n", draft);
        return draft.faults().stream().map(ConfigFault::text).collect(Collectors.joining("\n"));
    }
}
