import { createMeter, type MeteredServices } from '../../usage/meter.ts';
import type { Channel } from '../../model/place.ts';
import { translateLine } from '../../translation/fan-out.ts';
import type { TranslateCaption } from './translations.ts';

/** Translates what is said in a room; it counts as used by who said it, on top of the line itself. */
export const createTranslateCaption = (
  services: MeteredServices,
  channel: () => Channel,
): TranslateCaption => {
  const counted: MeteredServices = {
    ...services,
    usage: {
      ...services.usage,
      // The line is the message.
      record: (space, memberId, used) =>
        services.usage.record(space, memberId, { ...used, messages: 0 }),
    },
  };
  return async function* translate({ speakerId, text, language, context }, languages, signal) {
    const { space } = channel();
    const meter = createMeter(counted, { space, memberId: speakerId });
    const line = { space, text, context, ...(language === '' ? {} : { from: language }) };
    try {
      yield* translateLine(meter.services.translator, line, languages, signal);
    } finally {
      await meter.settle().catch(() => undefined);
    }
  };
};
