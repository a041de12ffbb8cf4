import { z } from 'zod';
import { channelOption, defineAction, listOption, moderator } from '../../src/command/command.ts';
import { completeLanguages, typedLanguages } from '../../src/command/helpers.ts';
import { bullets, lines, sections } from '../../src/rich-text/compose.ts';
import { channelMention } from '../../src/model/place.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { chosenChannel, namesOf, switches, switchLines } from './context.ts';
import { setAndWarn } from './warnings.ts';

const inPlaceOptions = {
  languages: listOption(),
  channel: channelOption().optional(),
  ...switches,
};
const belowOption = z.boolean().default(false).meta({ needs: 'reply-threads' });

/** `/autotranslate reply` and `thread`: translations of a channel's messages stand in that channel. */
export const inPlaceAction = (mode: 'reply' | 'thread') =>
  defineAction({
    options: z.object(inPlaceOptions).extend(mode === 'reply' ? { below: belowOption } : {}),
    complete: { languages: completeLanguages },
    guards: [moderator],
    slow: true,
    async run(ctx) {
      const { options, services, t, reply } = ctx;
      const channel = chosenChannel(ctx);
      const languages = typedLanguages(options.languages, services);
      const watch: ChannelWatch = {
        channel,
        mode,
        languages,
        transcribes: options['voice-messages'],
        bots: options.bots,
        ...(options.below ? { below: true } : {}),
      };
      const warnings = await setAndWarn([watch], ctx);
      await reply({
        text: sections(
          lines(
            t(watch.below ? 'autotranslate.below' : `autotranslate.${mode}`, {
              channel: channelMention(channel),
              count: languages.length,
            }),
            bullets(...namesOf(languages, ctx)),
          ),
          lines(t('autotranslate.skips'), await switchLines(options, ctx)),
          warnings,
        ),
      });
    },
  });
