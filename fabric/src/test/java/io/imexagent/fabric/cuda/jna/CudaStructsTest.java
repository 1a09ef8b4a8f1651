package io.imexagent.fabric.cuda.jna;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Structure;
import io.imexagent.fabric.fake.FakeCudaLibrary;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CudaStructsTest {

    @Test
    void theStructsAreThoseOfTheCCompiler(@TempDir Path folder) throws Exception {
        Path program = folder.resolve("layout");
        FakeCudaLibrary.gcc("layout.c", program);
        Process layout = new ProcessBuilder(program.toString()).start();
        List<String> compiler = new String(layout.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();

        List<String> ours = new ArrayList<>();
        for (Structure struct : List.of(
                new CudaStructs.MemLocation(),
                new CudaStructs.MemAllocationProp(),
                new CudaStructs.AllocFlags(),
                new CudaStructs.MemAccessDesc())) {
            describe(struct, ours);
        }

        assertThat(ours).containsExactlyElementsOf(compiler);
    }

    private static void describe(Structure struct, List<String> into) throws ReflectiveOperationException {
        String name = struct.getClass().getSimpleName();
        into.add("struct " + name + " " + struct.size());
        Method offset = Structure.class.getDeclaredMethod("fieldOffset", String.class);
        offset.setAccessible(true);
        for (String field :
                struct.getClass().getAnnotation(Structure.FieldOrder.class).value()) {
            into.add("field " + name + " " + field + " " + offset.invoke(struct, field));
        }
    }
}
