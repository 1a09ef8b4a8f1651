package io.imexagent.e2e.link;

import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;

/**
 * Links in a class file what javac leaves for the run: switches over types ({@code SwitchBootstraps.typeSwitch}) become
 * chains of {@code instanceof}, and a record's {@code equals}, {@code hashCode} and {@code toString}
 * ({@code ObjectMethods.bootstrap}) plain code. The behaviour is that of the bootstrap methods' documentation. Other
 * call sites, lambdas and strings among them, stay: those the class cache keeps linked.
 *
 * <p>Measured alone: the sockets listen after 357 ms with it and 398 ms without (docs/performance.md).
 */
public final class ClassLinker {

    private final ClassFile files;

    /** A linker that looks types up through a loader. */
    public ClassLinker(ClassLoader types) {
        this.files = ClassFile.of(ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(types)));
    }

    /** The class file with these call sites linked; the same bytes where it has none. */
    public byte[] link(byte[] file) {
        ClassModel model = files.parse(file);
        var inClass = new Linking(model.thisClass().asSymbol(), model.flags().has(AccessFlag.INTERFACE));
        byte[] linked = files.transformClass(
                model,
                ClassTransform.transformingMethodBodies(inClass::element)
                        .andThen(ClassTransform.endHandler(builder -> inClass.switches.forEach(
                                added -> builder.withMethodBody(added.name, added.type, added.flags(), added::body)))));
        return inClass.linked ? linked : file;
    }

    private static final class Linking {

        private final ClassDesc self;
        private final boolean isInterface;
        private final List<TypeSwitch> switches = new ArrayList<>();
        private boolean linked;

        private Linking(ClassDesc self, boolean isInterface) {
            this.self = self;
            this.isInterface = isInterface;
        }

        private void element(CodeBuilder code, CodeElement element) {
            if (element instanceof InvokeDynamicInstruction site && link(code, site)) {
                linked = true;
            } else {
                code.with(element);
            }
        }

        private boolean link(CodeBuilder code, InvokeDynamicInstruction site) {
            String bootstrap = site.bootstrapMethod().owner().displayName() + "."
                    + site.bootstrapMethod().methodName();
            return switch (bootstrap) {
                case "SwitchBootstraps.typeSwitch" -> typeSwitch(code, site);
                case "ObjectMethods.bootstrap" -> {
                    RecordMethods.of(self, site.bootstrapArgs())
                            .write(site.name().stringValue(), code);
                    yield true;
                }
                default -> false;
            };
        }

        /** Labels that are constants of an enum or texts are rare, and stay as they are. */
        private boolean typeSwitch(CodeBuilder code, InvokeDynamicInstruction site) {
            List<ClassDesc> labels = new ArrayList<>();
            for (ConstantDesc label : site.bootstrapArgs()) {
                if (!(label instanceof ClassDesc type)) {
                    return false;
                }
                labels.add(type);
            }
            var added = new TypeSwitch("typeSwitch$" + switches.size(), site.typeSymbol(), labels);
            switches.add(added);
            code.invokestatic(self, added.name, added.type, isInterface);
            return true;
        }
    }

    /**
     * A method that says which label the first argument has, at or after the second: -1 for null, the number of labels
     * for none of them.
     */
    private record TypeSwitch(String name, MethodTypeDesc type, List<ClassDesc> labels) {

        int flags() {
            return ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC;
        }

        void body(CodeBuilder code) {
            if (!type.returnType().equals(CD_int)) {
                throw new IllegalStateException("a type switch gives an int, not " + type);
            }
            Label present = code.newLabel();
            code.aload(0).ifnonnull(present).iconst_m1().ireturn().labelBinding(present);
            for (int label = 0; label < labels.size(); label++) {
                Label next = code.newLabel();
                code.iload(1).loadConstant(label).if_icmpgt(next);
                code.aload(0).instanceOf(labels.get(label)).ifeq(next);
                code.loadConstant(label).ireturn().labelBinding(next);
            }
            code.loadConstant(labels.size()).ireturn();
        }
    }
}
