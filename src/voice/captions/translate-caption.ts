import { createMeter, type MeteredServices } from '../../usage/meter.ts';
import type { Channel } from '../../model/place.ts';
import { translateLine } from '../../translation/fan-out.ts';
import type { TranslateCaption } from './translations.ts';

/** Translates what is said in a room; it counts as used by who said it, on top of the line itself. */
export const createTranslateCaption = (
  services: MeteredServices,
  channel: () => Channel,
): TranslateCaption =>
  async function* translate({ speakerId, text, language, context }, languages, signal) {
    const { space } = channel();
    // The line is the message.
    const meter = createMeter(services, { space, memberId: speakerId }, { messages: 0 });
    const line = { space, text, context, ...(language === '' ? {} : { from: language }) };
    try {
      yield* translateLine(meter.services.translator, line, languages, signal);
    } finally {
      await meter.settle().catch(() => undefined);
    }
  };
