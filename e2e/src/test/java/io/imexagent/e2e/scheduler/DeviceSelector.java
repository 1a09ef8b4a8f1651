package io.imexagent.e2e.scheduler;

import dev.cel.common.CelValidationException;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;

/**
 * A CEL expression of a DeviceClass or a request. Its one variable is {@code device}, with the fields and types that the API documents: {@code
 * driver}, {@code attributes} by domain and name, {@code capacity}, {@code allowMultipleAllocations}.
 */
final class DeviceSelector {

    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addLibraries(CelExtensions.strings())
            .addVar("device.driver", SimpleType.STRING)
            .addVar(
                    "device.attributes",
                    MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, SimpleType.DYN)))
            .addVar(
                    "device.capacity",
                    MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, SimpleType.DYN)))
            .addVar("device.allowMultipleAllocations", SimpleType.BOOL)
            .build();
    private static final CelRuntime RUNTIME = CelRuntimeFactory.legacyCelRuntimeBuilder()
            .addLibraries(CelExtensions.strings())
            .build();

    private final String expression;
    private final CelRuntime.Program program;

    /**
     * Compiles an expression.
     *
     * @throws UnsatisfiableException where it is no CEL
     */
    DeviceSelector(String expression) throws UnsatisfiableException {
        this.expression = expression;
        try {
            this.program = RUNTIME.createProgram(COMPILER.compile(expression).getAst());
        } catch (CelValidationException | CelEvaluationException e) {
            throw new UnsatisfiableException("selector " + expression + " is no CEL: " + e.getMessage());
        }
    }

    /**
     * Whether the device is selected.
     *
     * @throws UnsatisfiableException where the expression breaks on this device or is no boolean; the scheduler gives the
     *     pod up then, rather than taking the device for one that does not fit
     */
    boolean selects(PublishedDevice device) throws UnsatisfiableException {
        try {
            if (program.eval(device.variables()) instanceof Boolean fits) {
                return fits;
            }
            throw new UnsatisfiableException("selector " + expression + " is no boolean");
        } catch (CelEvaluationException e) {
            throw new UnsatisfiableException(
                    "selector " + expression + " breaks on " + device.id() + ": " + e.getMessage());
        }
    }
}
