import { z } from 'zod';
import { channelOption, defineAction, moderator } from '../../src/command/command.ts';
import { completeLanguage, listOf, typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import { bullets, lines, sections } from '../../src/rich-text/compose.ts';
import { channelMention, isSameChannel } from '../../src/model/place.ts';
import {
  addLanguage,
  groupHere,
  intoLine,
  join,
  removable,
  removeLanguage,
  turnOff,
} from './change.ts';
import {
  ageOption,
  changer,
  chosenChannel,
  demandLinked,
  linkedLine,
  obstacleLines,
} from './context.ts';

const LONGEST_LANGUAGE_CHARS = 2_000;

const languageOption = z.string().min(1).max(LONGEST_LANGUAGE_CHARS);

/** `/autotranslate add`: adds a language to those of a channel, or a channel to a group; all else stays as it is. */
export const addAction = defineAction({
  options: z.object({
    language: languageOption,
    channel: channelOption().optional(),
    with: channelOption().optional(),
    'age-restricted': ageOption.meta({ needs: 'age-restrictions' }),
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  slow: true,
  async run(ctx) {
    const { options, services, t, reply } = ctx;
    const language = typedLanguage(options.language, services);
    const channel = chosenChannel(ctx);
    const by = changer(ctx);
    if (options.with === undefined) {
      const watch = await addLanguage(channel, language, by, ctx);
      return reply({
        text: lines(intoLine(watch, ctx), ...(await obstacleLines([watch], ctx))),
      });
    }
    const known = services.watches.of(options.with);
    const watch = {
      channel,
      mode: 'mirror',
      languages: [language],
      transcribes: known?.transcribes ?? true,
      bots: known?.bots ?? false,
    } as const;
    const all = await join(watch, options.with, by, options['age-restricted'], ctx);
    const linked = all.map((each) => linkedLine(each, ctx));
    await reply({
      text: sections(
        lines(t('autotranslate.mirror'), bullets(...linked)),
        lines(...(await obstacleLines(all, ctx))),
      ),
    });
  },
});

/** `/autotranslate remove`: takes a language from those of a channel, or a channel out of its group. */
export const removeAction = defineAction({
  options: z.object({
    language: languageOption.optional(),
    channel: channelOption().optional(),
  }),
  complete: { language: completeLanguage },
  guards: [moderator],
  async run(ctx) {
    const { options, services, t, reply } = ctx;
    const language =
      options.language === undefined ? undefined : typedLanguage(options.language, services);
    const channel = chosenChannel(ctx);
    const named = { channel: channelMention(channel) };
    const by = changer(ctx);
    const group = groupHere(channel, ctx);
    if (group.length === 0) {
      if (language === undefined) throw removable(channel, ctx);
      return reply(await removeLanguage(channel, language, by, ctx));
    }
    await demandLinked([channel], ctx);
    const channels = listOf(
      group.map((each) => linkedLine(each, ctx)),
      ctx.locale,
    );
    if (language === undefined && options.channel === undefined)
      throw userError('bad-input', 'autotranslate.remove-what', { channels });
    const spoken = group.filter(
      (watch) => language === undefined || watch.languages.includes(language),
    );
    const meant =
      options.channel === undefined
        ? spoken
        : spoken.filter((watch) => isSameChannel(watch.channel, channel));
    const [watch] = meant;
    if (!watch || meant.length > 1)
      throw userError('bad-input', 'autotranslate.remove-which', {
        ...named,
        language: services.languages.name(language ?? '', ctx.locale),
        count: spoken.length,
        channels,
      });
    const ended = await turnOff(watch.channel, by, ctx);
    await reply(ended ?? { text: t('autotranslate.not-on', named) });
  },
});
