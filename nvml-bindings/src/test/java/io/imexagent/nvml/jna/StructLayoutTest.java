package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.fake.CCompiler;
import io.imexagent.nvml.jna.StructLayout.EventDataStruct;
import io.imexagent.nvml.jna.StructLayout.FabricInfoStruct;
import io.imexagent.nvml.jna.StructLayout.FieldValueStruct;
import io.imexagent.nvml.jna.StructLayout.PciInfoStruct;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables of this package against what the C compiler makes of the same structs. */
class StructLayoutTest {
    private static final List<StructLayout> LAYOUTS = List.of(
            PciInfoStruct.LAYOUT,
            FabricInfoStruct.V1.layout(),
            FabricInfoStruct.V2.layout(),
            FabricInfoStruct.V3.layout(),
            FabricInfoStruct.CLIQUE,
            FabricInfoStruct.V4,
            EventDataStruct.LAYOUT,
            FieldValueStruct.LAYOUT,
            StructLayout.MEMORY);

    private static List<String> compiled = List.of();

    @BeforeAll
    static void askTheCompiler(@TempDir Path directory) throws IOException, InterruptedException {
        Path program = directory.resolve("layout");
        CCompiler.gcc().compile("layout.c", program, List.of());
        Process process = new ProcessBuilder(program.toString()).start();
        compiled = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void everySizeIsTheCompilers() {
        assertThat(LAYOUTS)
                .extracting(layout -> "struct " + layout.name() + " " + layout.bytes())
                .containsExactlyElementsOf(linesOf("struct"));
    }

    @Test
    void everyFieldIsWhereTheCompilerPutsIt() {
        List<String> fields = new ArrayList<>();
        for (StructLayout layout : LAYOUTS) {
            for (StructLayout.StructField field : layout.fields()) {
                fields.add("field " + layout.name() + " " + field.name() + " " + field.offset() + " " + field.bytes());
            }
        }

        assertThat(fields).hasSize(48).containsExactlyElementsOf(linesOf("field"));
    }

    @Test
    void everyVersionIsTheCompilers() {
        assertThat(List.of(version(FabricInfoStruct.V2.layout(), 2), version(FabricInfoStruct.V3.layout(), 3)))
                .containsExactlyElementsOf(linesOf("version"));
    }

    @Test
    void theVersionsAreThoseOfTheHeader() {
        assertThat(FabricInfoStruct.V2.layout().versioned(2)).isEqualTo(0x02000024);
        assertThat(FabricInfoStruct.V3.layout().versioned(3)).isEqualTo(0x03000028);
    }

    private static String version(StructLayout layout, int number) {
        return "version " + layout.name() + " " + number + " " + layout.versioned(number);
    }

    private static List<String> linesOf(String kind) {
        return compiled.stream().filter(line -> line.startsWith(kind + " ")).toList();
    }
}
