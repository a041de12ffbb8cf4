import { z } from 'zod';
import { httpUrl } from '../config.ts';

/** Reads `name=value,name=value`, as OpenTelemetry writes headers. */
const headers = z.string().transform((text, ctx): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim()));
  if (pairs.every(([name, value]) => name && value)) return Object.fromEntries(pairs);
  ctx.addIssue('must be name=value pairs, separated by commas');
  return z.NEVER;
});

/** The variables of traces; they are named as everywhere with OpenTelemetry. */
export const tracingSection = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('URL of an OpenTelemetry collector for traces, by OTLP over HTTP. Default: off.'),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .optional()
    .describe('Headers for the collector: name=value, separated by commas.'),
  OTEL_SERVICE_NAME: z.string().default('dragoman').describe('Name of this program in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be 0 or more')
    .max(1, 'must be 1 or less')
    .default(1)
    .describe('Share of the messages that are traced, 0 to 1.'),
});

export type TracingConfig = z.infer<typeof tracingSection>;
