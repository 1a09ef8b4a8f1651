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
 * Reads the vital product data of PCI functions, and keeps what they say as long as a function is there: a device gives
 * four bytes at a time, and one that is broken lets each wait for an eighth of a second ({@code drivers/pci/vpd.c}).
 */
final class VpdReader {

    /**
     * What the data of a ConnectX bridge to NVSwitches hold, as {@code SMDL=SW_MNG} in a vendor's field (Fabric Manager
     * User Guide). Fabric Manager looks for it anywhere in the file as well.
     */
    private static final String SWITCHES = "SW_MNG";

    private static final String VENDOR = "15b3:";

    /** In scans. A device may be busy at the boot; each failure is a line in the kernel log. */
    private static final int LONGEST_PAUSE = 1024;

    private final Map<VpdKey, CachedVpd> known = new HashMap<>();
    private final Set<VpdKey> requested = new HashSet<>();

    private record VpdKey(PciAddress address, PciId id) {}

    /** What was read, and of what could not be, in how many scans it is read again, after a pause of so many. */
    private record CachedVpd(Vpd vpd, int left, int pause) {}

    /** What the data of the function in this folder say; only those of the vendor of ConnectX are read. */
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

    /** Ends a scan: what it did not ask about is not there any more. */
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
