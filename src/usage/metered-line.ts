import { type FanOutLine, type LineTranslation, translateLine } from '../translation/fan-out.ts';
import { createMeter, type MeteredServices, type MeterOptions } from './meter.ts';

/** A line and the member for whom its translations count. */
export interface MeteredLine extends FanOutLine {
  readonly memberId: string;
}

/**
 * Translates a line as `translateLine` does and counts the use. Use that cannot be recorded loses
 * nobody their translation.
 */
export async function* translateMeteredLine(
  services: MeteredServices,
  { memberId, ...line }: MeteredLine,
  languages: readonly string[],
  signal: AbortSignal,
  options?: MeterOptions,
): AsyncGenerator<LineTranslation, void, void> {
  const meter = createMeter(services, { space: line.space, memberId }, options);
  try {
    yield* translateLine(meter.services.translator, line, languages, signal);
  } finally {
    await meter.settle().catch(() => undefined);
  }
}
