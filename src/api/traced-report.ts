import { traceparentOf } from '../telemetry/trace-context.ts';
import type { Call } from './caller.ts';
import { openReport, type OnCall, type OpenReport } from './call-report.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** The report of a call that is a span, too. */
export interface TracedReport extends OpenReport {
  /** Headers that tell the service of which trace its requests are. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReportOpenerDeps {
  readonly onCall: OnCall;
  readonly tracing: Tracing;
  /** True when requests tell the service of which trace they are. */
  readonly tellsTrace: boolean;
}

/** Creates the function that opens the report of a call. */
export const createReportOpener =
  ({ tracing, tellsTrace, onCall }: ReportOpenerDeps) =>
  (call: Call): TracedReport => {
    const { endpoint, options } = call;
    const attributes = { lane: options.lane };
    const span = tracing.start({ name: `call ${endpoint}`, kind: 'client', attributes });
    let fault: unknown;
    const report = openReport(call, (told) => {
      onCall(told);
      const { outcome, attempts, waitingMs } = told;
      span.end({ attributes: { outcome, attempts, waitingMs }, fault });
    });
    return {
      ...report,
      headers: span.context && tellsTrace ? { traceparent: traceparentOf(span.context) } : {},
      end: (thrown) => {
        fault = thrown;
        report.end(thrown);
      },
    };
  };
