/** What nvidia-imex-ctl reports, and the parsers of its forms. */
@NullMarked
package io.imexagent.imex.report;

import org.jspecify.annotations.NullMarked;
