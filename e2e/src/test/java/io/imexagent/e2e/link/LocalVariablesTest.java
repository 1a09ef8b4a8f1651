package io.imexagent.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.LineNumber;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The oracle is the JDK's reader of class files. */
class LocalVariablesTest {

    private static final Set<String> OF_DEBUGGERS = Set.of("LocalVariableTable", "LocalVariableTypeTable");

    static Stream<Class<?>> classes() {
        return Stream.of(
                LocalVariablesTest.class, LinkSamples.class, LinkSamples.Everything.class, LocalVariables.class);
    }

    @ParameterizedTest
    @MethodSource("classes")
    void onlyTheNamesOfLocalVariablesGo(Class<?> type) throws IOException {
        byte[] file = file(type);

        byte[] dropped = LocalVariables.dropped(file);

        assertThat(contents(dropped))
                .isEqualTo(contents(file).stream()
                        .filter(line -> OF_DEBUGGERS.stream().noneMatch(line::contains))
                        .toList());
        assertThat(LocalVariables.dropped(dropped)).isEqualTo(dropped);
    }

    @Test
    void aClassHasThemAtFirst() throws IOException {
        assertThat(contents(file(LocalVariables.class))).anyMatch(line -> line.contains("LocalVariableTable"));
        assertThat(LocalVariables.dropped(file(LocalVariables.class)))
                .hasSizeLessThan(file(LocalVariables.class).length);
    }

    @Test
    void aFileThatEndsEarlyIsNone() throws IOException {
        byte[] file = file(LocalVariables.class);

        assertThatThrownBy(() -> LocalVariables.dropped(Arrays.copyOf(file, 20)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Each attribute, with the contents of those that say what runs and where it was written. */
    private static List<String> contents(byte[] file) {
        ClassModel model = ClassFile.of().parse(file);
        List<String> lines = new ArrayList<>(List.of(
                model.thisClass().asInternalName() + model.constantPool().size()));
        names(model, "class", lines);
        model.fields().forEach(field -> names(field, field.fieldName().stringValue(), lines));
        for (MethodModel method : model.methods()) {
            String name =
                    method.methodName().stringValue() + method.methodType().stringValue();
            names(method, name, lines);
            method.code().map(CodeAttribute.class::cast).ifPresent(code -> {
                names(code, name + " code", lines);
                lines.add(name + code.maxStack() + code.maxLocals() + Arrays.toString(code.codeArray()));
                code.elementStream().filter(LineNumber.class::isInstance).forEach(line -> lines.add(name + line));
            });
        }
        return lines;
    }

    /** In alphabetical order: that of attributes means nothing. */
    private static void names(AttributedElement element, String of, List<String> lines) {
        element.attributes().stream()
                .map(attribute -> of + " " + attribute.attributeName().stringValue())
                .sorted()
                .forEach(lines::add);
    }

    private static byte[] file(Class<?> type) throws IOException {
        try (InputStream stream = type.getResourceAsStream(
                type.getName().substring(type.getPackageName().length() + 1) + ".class")) {
            return Objects.requireNonNull(stream).readAllBytes();
        }
    }
}
