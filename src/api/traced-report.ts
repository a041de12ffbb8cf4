import { SpanKind } from '@opentelemetry/api';
import { endSpan, traceparentOf, type Tracing } from '../telemetry/tracing.ts';
import { openReport, type OnCall, type OpenReport } from './call-report.ts';
import type { Call } from './caller.ts';

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
    const span = tracing.tracer.startSpan(`call ${endpoint}`, {
      kind: SpanKind.CLIENT,
      attributes,
    });
    let fault: unknown;
    const report = openReport(call, (ended) => {
      onCall(ended);
      const { outcome, attempts, waitingMs } = ended;
      span.setAttributes({ outcome, attempts, waitingMs });
      endSpan(span, fault);
    });
    const traceparent = tellsTrace ? traceparentOf(span) : undefined;
    return {
      ...report,
      headers: traceparent === undefined ? {} : { traceparent },
      end: (thrown) => {
        fault = thrown;
        report.end(thrown);
      },
    };
  };
