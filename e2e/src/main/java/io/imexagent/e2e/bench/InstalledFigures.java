package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * What was measured of the agent as its package installs it.
 *
 * @param ready from exec to the READY that systemd waits for, of each start
 * @param gate from exec of {@code imex-agent gate} to its end, on a tray where nvidia-imex belongs
 * @param gateByNvml the same where no GPU's PCI device is listed, so that NVML is asked
 * @param minutes how long it was idle, with the health watch on
 * @param residentKb its memory after that
 * @param youngShare processor time meanwhile, that of programs which it ran included, as a share of one core
 * @param settledShare the same of as many minutes after those
 * @param packageBytes how large the package is
 */
record InstalledFigures(
        Samples ready,
        Samples gate,
        Samples gateByNvml,
        int minutes,
        long residentKb,
        double youngShare,
        double settledShare,
        long packageBytes) {

    private static final double KB_PER_MB = 1024;
    private static final double BYTES_PER_MB = 1024 * 1024;
    private static final int DECIMALS = 3;

    /** The part of the document. Its keys are stable. */
    ObjectNode document() {
        return Json.object()
                .put("ready_ms", rounded(ready.median()))
                .put("gate_ms", rounded(gate.median()))
                .put("gate_by_nvml_ms", rounded(gateByNvml.median()))
                .put("idle_minutes", minutes)
                .put("rss_mb", rounded(residentKb / KB_PER_MB))
                .put("young_cpu_percent", rounded(youngShare * 100))
                .put("idle_cpu_percent", rounded(settledShare * 100))
                .put("package_mb", rounded(packageBytes / BYTES_PER_MB));
    }

    private static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }
}
