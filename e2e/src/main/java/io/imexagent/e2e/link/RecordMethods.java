package io.imexagent.e2e.link;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * The code of the methods of a record with these components, as {@link java.lang.runtime.ObjectMethods} would make it.
 * Each is written where the call site was, with the record (and for {@code equals} the other object) on the stack, and
 * leaves its result there.
 */
record RecordMethods(ClassDesc self, List<RecordField> fields) {

    private static final ClassDesc OBJECTS = ClassDesc.of("java.util.Objects");
    private static final ClassDesc TEXT = ClassDesc.of("java.lang.StringBuilder");

    record RecordField(String name, ClassDesc type) {}

    /** The methods of the record that a call site's arguments describe: its class, the names, a getter for each. */
    static RecordMethods of(ClassDesc self, List<ConstantDesc> arguments) {
        List<RecordField> fields = new ArrayList<>();
        for (ConstantDesc argument : arguments.subList(2, arguments.size())) {
            if (!(argument instanceof DirectMethodHandleDesc getter)
                    || getter.kind() != DirectMethodHandleDesc.Kind.GETTER) {
                throw new IllegalStateException("a record's method reads its fields, not " + argument);
            }
            fields.add(
                    new RecordField(getter.methodName(), getter.invocationType().returnType()));
        }
        return new RecordMethods(self, List.copyOf(fields));
    }

    void write(String method, CodeBuilder code) {
        switch (method) {
            case "hashCode" -> hashCode(code);
            case "equals" -> equals(code);
            case "toString" -> toString(code);
            default -> throw new IllegalStateException("a record has no method " + method + " of its own");
        }
    }

    private void hashCode(CodeBuilder code) {
        int record = code.allocateLocal(TypeKind.REFERENCE);
        code.astore(record).iconst_0();
        for (RecordField field : fields) {
            code.loadConstant(31).imul().aload(record).getfield(self, field.name, field.type);
            if (field.type.isPrimitive()) {
                code.invokestatic(boxed(field.type), "hashCode", MethodTypeDesc.of(CD_int, field.type));
            } else {
                code.invokestatic(OBJECTS, "hashCode", MethodTypeDesc.of(CD_int, CD_Object));
            }
            code.iadd();
        }
    }

    private void equals(CodeBuilder code) {
        int other = code.allocateLocal(TypeKind.REFERENCE);
        int record = code.allocateLocal(TypeKind.REFERENCE);
        int same = code.allocateLocal(TypeKind.REFERENCE);
        Label no = code.newLabel();
        Label yes = code.newLabel();
        Label end = code.newLabel();
        code.astore(other).astore(record);
        code.aload(other).aload(record).if_acmpeq(yes);
        code.aload(other).instanceOf(self).ifeq(no);
        code.aload(other).checkcast(self).astore(same);
        for (RecordField field : fields) {
            code.aload(record).getfield(self, field.name, field.type);
            code.aload(same).getfield(self, field.name, field.type);
            unlessEqual(code, field.type, no);
        }
        code.labelBinding(yes).iconst_1().goto_(end).labelBinding(no).iconst_0().labelBinding(end);
    }

    /** Compares two values on the stack. Floating numbers are equal where {@code compare} says so. */
    private static void unlessEqual(CodeBuilder code, ClassDesc type, Label no) {
        if (type.isPrimitive()) {
            code.invokestatic(boxed(type), "compare", MethodTypeDesc.of(CD_int, type, type))
                    .ifne(no);
        } else {
            code.invokestatic(OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object))
                    .ifeq(no);
        }
    }

    private void toString(CodeBuilder code) {
        int record = code.allocateLocal(TypeKind.REFERENCE);
        code.astore(record).new_(TEXT).dup().invokespecial(TEXT, "<init>", MTD_void);
        String before = simpleName() + "[";
        for (RecordField field : fields) {
            append(code, before + field.name + "=");
            code.aload(record).getfield(self, field.name, field.type);
            code.invokevirtual(TEXT, "append", MethodTypeDesc.of(TEXT, printed(field.type)));
            before = ", ";
        }
        append(code, fields.isEmpty() ? before + "]" : "]");
        code.invokevirtual(TEXT, "toString", MethodTypeDesc.of(CD_String));
    }

    private static void append(CodeBuilder code, String text) {
        code.ldc(text).invokevirtual(TEXT, "append", MethodTypeDesc.of(TEXT, CD_String));
    }

    /** Of a nested class the part behind its outer class's name, of a local one without the number before it. */
    private String simpleName() {
        String name = self.displayName();
        return name.substring(name.lastIndexOf('$') + 1).replaceFirst("^[0-9]+", "");
    }

    /** The class of objects that hold such a value, such as {@code Integer} for {@code int}. */
    private static ClassDesc boxed(ClassDesc primitive) {
        MethodType getter = MethodType.fromMethodDescriptorString("()" + primitive.descriptorString(), null);
        return getter.wrap().returnType().describeConstable().orElseThrow();
    }

    private static ClassDesc printed(ClassDesc type) {
        return switch (type.descriptorString()) {
            case "B", "S" -> CD_int;
            default -> type.isPrimitive() ? type : CD_Object;
        };
    }
}
