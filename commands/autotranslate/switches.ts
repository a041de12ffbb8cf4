import { z } from 'zod';
import { hears } from '../../src/command/helpers.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import type { Context } from './context.ts';

/** Options of every setting: whether voice messages, and messages of bots, are translated too. */
export const switches = {
  'voice-messages': z.boolean().default(true),
  bots: z.boolean().default(false),
};
type Switches = z.infer<z.ZodObject<typeof switches>>;

/** Says what the switches mean for the channels that are set. */
export const switchLines = async (options: Switches, ctx: Context): Promise<RichText> => {
  const { t } = ctx;
  const voice = options['voice-messages']
    ? (await hears(ctx))
      ? 'autotranslate.voice-messages'
      : 'autotranslate.no-recognition'
    : 'autotranslate.no-voice-messages';
  return lines(t(voice), t(options.bots ? 'autotranslate.bots' : 'autotranslate.no-bots'));
};
