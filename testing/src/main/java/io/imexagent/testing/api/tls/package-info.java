/** Key material of the API server double: a certificate authority that lives for one run, and what it issues. */
@NullMarked
package io.imexagent.testing.api.tls;

import org.jspecify.annotations.NullMarked;
