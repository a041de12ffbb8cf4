import { z } from 'zod';
import { channelOption, defineAction, moderator, type Press } from '../../src/command/command.ts';
import { button, completeLanguage, listOf, typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import { bullets, lines, sections } from '../../src/rich-text/compose.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention, isSameChannel, type Channel } from '../../src/model/place.ts';
import { addLanguage, groupHere, intoLines, join, removable } from './change.ts';
import { removeLanguage, askedOff } from './off.ts';
import {
  ageOption,
  changer,
  chosenChannel,
  demandLinked,
  linkedLine,
  obstacleLines,
  standingLines,
  type Context,
} from './context.ts';

const LONGEST_LANGUAGE_CHARS = 2_000;

const languageOption = z.string().min(1).max(LONGEST_LANGUAGE_CHARS);

/** A channel to add, with its language, to the group of another one. */
interface Added {
  readonly channel: Channel;
  readonly language: string;
  readonly with: Channel;
  readonly mayMixAges: boolean;
}

const AGES = 'ages';

/**
 * Adds a channel to a group, and lists that; asks first where channels elsewhere are in it.
 *
 * @param said names the channels elsewhere that the person was told of
 */
const joined = async (added: Added, ctx: Context, said = ''): Promise<Content> => {
  const { channel, language, with: other, mayMixAges } = added;
  const { transcribes = true, bots = false } = ctx.services.watches.of(other) ?? {};
  const watch = { channel, mode: 'mirror', languages: [language], transcribes, bots } as const;
  const all = await join(watch, other, { by: changer(ctx), mayMixAges, said }, ctx);
  if ('seen' in all) {
    const press = `autotranslate join:${channel.id}/${language}/${other.id}/${mayMixAges ? AGES : ''}/${all.seen}`;
    const controls = [button(ctx, press, 'autotranslate.link-yes', 'primary')];
    return { text: all.text, tone: 'question', controls };
  }
  const linked = all.map((each) => linkedLine(each, ctx));
  const channels = all.map((each) => each.channel);
  return {
    text: sections(
      lines(ctx.t('autotranslate.mirror'), bullets(...linked)),
      lines(...(await obstacleLines(all, ctx)), ...(await standingLines(channels, ctx))),
    ),
  };
};

/** Adds a channel to a group that has channels elsewhere, once that was said. */
export const joinPress: Press = {
  guards: [moderator],
  async run(ctx) {
    const [id = '', language = '', other = '', ages, said = ''] = ctx.arg.split('/');
    const { space } = ctx.channel;
    const added = {
      channel: { space, id },
      language: typedLanguage(language, ctx.services),
      with: { space, id: other },
      mayMixAges: ages === AGES,
    };
    await ctx.reply(await joined(added, ctx, said));
  },
};

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
  private: true,
  slow: true,
  async run(ctx) {
    const { options, services, reply } = ctx;
    const language = typedLanguage(options.language, services);
    const channel = chosenChannel(ctx);
    if (options.with === undefined) {
      const watch = await addLanguage(channel, language, changer(ctx), ctx);
      return reply({ text: await intoLines(watch, ctx) });
    }
    const added = {
      channel,
      language,
      with: options.with,
      mayMixAges: options['age-restricted'],
    };
    await reply(await joined(added, ctx));
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
  private: true,
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
    const ended = await askedOff(watch.channel, by, ctx);
    await reply(ended ?? { text: t('autotranslate.not-on', named) });
  },
});
