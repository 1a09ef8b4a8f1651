package io.imexagent.rdma.probe;

import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.PciFunction.PciId;
import io.imexagent.rdma.inventory.PciFunction.Vpd;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the vital product data (VPD) of PCI functions, and caches it while a function exists: a device returns four
 * bytes at a time, and a broken one delays each read by an eighth of a second ({@code drivers/pci/vpd.c}).
 */
final class VpdReader {

    /**
     * The text in the VPD of a ConnectX bridge to NVSwitches, as {@code SMDL=SW_MNG} in a vendor's field (Fabric
     * Manager User Guide). Fabric Manager searches the whole file for it as well.
     */
    private static final String SWITCHES = "SW_MNG";

    private static final String VENDOR = "15b3:";

    /**
     * The longest pause between tries, in scans. A device may be busy at boot; each failure adds a line to the kernel
     * log.
     */
    private static final int LONGEST_PAUSE = 1024;

    private final Map<VpdKey, CachedVpd> known = new HashMap<>();
    private final Set<VpdKey> requested = new HashSet<>();

    private record VpdKey(PciAddress address, PciId id) {}

    /**
     * A cached VPD. After a failure, {@code left} is the number of scans until the next try, and {@code pause} that of
     * the whole pause.
     */
    private record CachedVpd(Vpd vpd, int left, int pause) {}

    /** The VPD of the function in this folder; only functions of the ConnectX vendor are read. */
    Vpd of(HostFiles files, String folder, PciAddress address, Optional<PciId> id) {
        if (!id.map(one -> one.text().startsWith(VENDOR)).orElse(false)) {
            return new Vpd.OrdinaryVpd();
        }
        var key = new VpdKey(address, id.get());
        requested.add(key);
        CachedVpd before = known.getOrDefault(key, new CachedVpd(new Vpd.UnreadVpd("it was not read yet"), 0, 0));
        if (!(before.vpd instanceof Vpd.UnreadVpd)) {
            return before.vpd;
        }
        if (before.left > 0) {
            known.put(key, new CachedVpd(before.vpd, before.left - 1, before.pause));
            return before.vpd;
        }
        Vpd vpd = read(files, folder + "/vpd");
        known.put(key, new CachedVpd(vpd, before.pause, Math.clamp(before.pause * 2L, 1, LONGEST_PAUSE)));
        return vpd;
    }

    /** Ends a scan: drops the functions that the scan did not read, since they are gone. */
    void forgetOthers() {
        known.keySet().retainAll(requested);
        requested.clear();
    }

    private static Vpd read(HostFiles files, String path) {
        try {
            return files.read(path).contains(SWITCHES) ? new Vpd.SwitchManagementVpd() : new Vpd.OrdinaryVpd();
        } catch (NoSuchFileException without) {
            return new Vpd.OrdinaryVpd();
        } catch (IOException failure) {
            return new Vpd.UnreadVpd(String.valueOf(failure.getMessage()));
        }
    }
}
