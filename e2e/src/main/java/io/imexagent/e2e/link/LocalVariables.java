package io.imexagent.e2e.link;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.DebugElementsOption;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;

/**
 * Class files without the names and types of local variables, which only debuggers read. Files and lines, which stack
 * traces show, stay, and so do the code and all offsets.
 */
final class LocalVariables {

    private static final ClassFile FILES = ClassFile.of(DebugElementsOption.DROP_DEBUG);

    private LocalVariables() {}

    /** The class file without them; the same bytes where it has none. */
    static byte[] dropped(byte[] file) {
        ClassModel model = FILES.parse(file);
        boolean named = model.methods().stream()
                .flatMap(method -> method.findAttribute(Attributes.code()).stream())
                .anyMatch(code ->
                        code.findAttribute(Attributes.localVariableTable()).isPresent());
        return named
                ? FILES.transformClass(model, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL))
                : file;
    }
}
