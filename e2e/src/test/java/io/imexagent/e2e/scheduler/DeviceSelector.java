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
            .addLibraries(CelExtensions.strings(), CelExtensions.optional())
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
            .addLibraries(CelExtensions.strings(), CelExtensions.optional())
            .build();

    private final String expression;
    private final CelRuntime.Program program;

    /**
     * Compiles an expression.
     *
     * @throws BrokenSelectorException where it is no CEL
     */
    DeviceSelector(String expression) throws BrokenSelectorException {
        this.expression = expression;
        try {
            this.program = RUNTIME.createProgram(COMPILER.compile(expression).getAst());
        } catch (CelValidationException | CelEvaluationException e) {
            throw new BrokenSelectorException("selector " + expression + " is no CEL: " + e.getMessage());
        }
    }

    /**
     * Whether the device is selected.
     *
     * @throws BrokenSelectorException where the expression breaks on this device or is no boolean
     */
    boolean selects(PublishedDevice device) throws BrokenSelectorException {
        try {
            if (program.eval(device.variables()) instanceof Boolean fits) {
                return fits;
            }
            throw new BrokenSelectorException("selector " + expression + " is no boolean");
        } catch (CelEvaluationException e) {
            throw new BrokenSelectorException(
                    "selector " + expression + " breaks on " + device.id() + ": " + e.getMessage());
        }
    }
}
