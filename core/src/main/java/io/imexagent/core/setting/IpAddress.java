package io.imexagent.core.setting;

import java.net.InetAddress;
import java.util.function.Predicate;

/** Tells whether a text is an IPv4 or IPv6 address, without a look-up. */
public final class IpAddress implements Predicate<String> {

    @Override
    public boolean test(String text) {
        try {
            return !text.isEmpty() && InetAddress.ofLiteral(text) != null;
        } catch (IllegalArgumentException noAddress) {
            return false;
        }
    }
}
