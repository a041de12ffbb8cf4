import { z } from 'zod';
import { channelOption, defineAction, moderator } from '../../src/command/command.ts';
import { completeLanguage, typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import { bullets, lines, sections, sentence, series } from '../../src/rich-text/compose.ts';
import { channelMention } from '../../src/model/place.ts';
import { code, timestamp } from '../../src/rich-text/rich-text.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import {
  ageOption,
  chosenChannel,
  demandLinked,
  demandSeen,
  namesOf,
  switches,
  switchLines,
  obstacleLines,
} from './context.ts';

const LONGEST_LANGUAGE_CHARS = 2_000;
const LONGEST_CODE_CHARS = 40;
const SECOND_MS = 1_000;

/** `/autotranslate link`: links a channel with one of another space, by a code that one side makes and the other one types. */
export const linkAction = defineAction({
  options: z.object({
    language: z.string().min(1).max(LONGEST_LANGUAGE_CHARS).optional(),
    code: z.string().min(1).max(LONGEST_CODE_CHARS).optional(),
    channel: channelOption().optional(),
    ...switches,
    'age-restricted': ageOption,
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { access, options, services, t, reply } = ctx;
    const mayMixAges = options['age-restricted'];
    const channel = chosenChannel(ctx);
    await access.demand([channel], 'write');
    await demandLinked([channel], ctx);
    const existing = services.watches.of(channel);
    const known = existing?.mode === 'mirror' ? existing.languages[0] : undefined;
    const language = options.language ? typedLanguage(options.language, services) : known;
    if (language === undefined) throw userError('bad-input', 'autotranslate.link-language');
    const isUnchanged = existing?.mode === 'mirror' && language === known;
    const watch: ChannelWatch = isUnchanged
      ? existing
      : {
          channel,
          mode: 'mirror',
          languages: [language],
          transcribes: options['voice-messages'],
          bots: options.bots,
        };
    if (options.code === undefined) {
      const { code: made, expiresMs } = await services.watches.invite(watch, mayMixAges);
      const until = timestamp(Math.floor(expiresMs / SECOND_MS), 't');
      return reply({
        text: t('autotranslate.link-code', {
          code: code(made),
          until,
          channel: channelMention(channel),
        }),
      });
    }
    const all = await services.watches.link(options.code, watch, {
      admit: (own) => demandSeen(own, ctx),
      mayMixAges,
    });
    const own = all.filter(({ channel: { space } }) => space.id === channel.space.id);
    const lined = own.map((each) =>
      series([channelMention(each.channel), ...namesOf(each.languages, ctx)]),
    );
    const elsewhere = all.length - own.length;
    const warnings = await obstacleLines(all, ctx);
    await reply({
      text: sections(
        lines(
          t('autotranslate.mirror'),
          bullets(...lined, elsewhere > 0 && t('autotranslate.elsewhere', { count: elsewhere })),
        ),
        await switchLines(options, ctx),
        warnings.some(Boolean) && lines(...warnings.map((each) => each && sentence('⚠️ ', each))),
      ),
    });
  },
});
