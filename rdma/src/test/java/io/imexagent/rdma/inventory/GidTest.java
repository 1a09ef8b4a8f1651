package io.imexagent.rdma.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class GidTest {

    @Property
    void whatIsPrintedIsReadAgain(@ForAll long prefix, @ForAll long interfaceId) {
        var gid = new Gid(prefix, interfaceId);

        assertThat(Gid.parse(gid.toString())).contains(gid);
    }

    @Property
    void anyTextIsAGidOrNone(@ForAll String text) {
        assertThat(Gid.parse(text)).satisfies(gid -> {
            assertThat(gid.isEmpty() || text.length() == 39).isTrue();
        });
    }

    @Property
    void theGidOfAnAddressHoldsIt(@ForAll int bits) {
        var gid = new Gid(0, 0xffff_0000_0000L | Integer.toUnsignedLong(bits));

        assertThat(Gid.parse(gid.toString()).flatMap(Gid::ipv4)).contains(new Ipv4(bits));
    }

    @Test
    void tellsKindsApart() {
        assertThat(Gid.parse("0000:0000:0000:0000:0000:ffff:0a01:0203").flatMap(Gid::ipv4))
                .map(Ipv4::toString)
                .contains("10.1.2.3");
        assertThat(Gid.parse("fe80:0000:0000:0000:a288:c2ff:fe00:0003"))
                .hasValueSatisfying(gid -> assertThat(gid.isLinkLocal()).isTrue());
        assertThat(Gid.parse("fe80:0000:0000:0001:a288:c2ff:fe00:0003"))
                .hasValueSatisfying(gid -> assertThat(gid.isLinkLocal()).isFalse());
        assertThat(Gid.parse("0000:0000:0000:0000:0000:0000:0000:0000"))
                .hasValueSatisfying(gid -> assertThat(gid.isZero()).isTrue());
        assertThat(Gid.parse("2001:0db8:0000:0000:0000:ffff:0a01:0203").flatMap(Gid::ipv4))
                .isEmpty();
        assertThat(Gid.parse("fe80::a288:c2ff:fe00:3")).isEmpty();
        assertThat(Gid.parse("0000.0000:0000:0000:0000:ffff:0a01:0203")).isEmpty();
    }
}
