import { z } from 'zod';
import {
  defineAction,
  defineCommandGroup,
  moderator,
  type Complete,
} from '../src/command/command.ts';
import { completeLanguage, typedLanguage, inCode } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { customEmoji, typedCustomEmojiId } from '../src/model/mention.ts';

const MOST_EMOJI = 100;

const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text);

/** The emoji as reactions name it: the id of a custom one, else the emoji itself. */
const emojiOf = (typed: string): string => {
  const text = typed.trim();
  const emoji = typedCustomEmojiId(text) ?? [text, `${text}\uFE0F`].find(isEmoji);
  if (emoji === undefined) throw userError('bad-input', 'flags.no-emoji', { typed: inCode(text) });
  return emoji;
};

const shown = (emoji: string): string => (isEmoji(emoji) ? emoji : customEmoji(emoji));

const completeEmoji: Complete = async (typed, { services, space, locale }) => {
  const { flags } = await services.spaces.of(space);
  return Object.entries(flags.languages)
    .map(([emoji, language]) => ({
      value: shown(emoji),
      label: `${emoji} ${services.languages.name(language, locale)}`,
    }))
    .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
};

const set = defineAction({
  options: z.object({ emoji: z.string().min(1).max(100), language: z.string().min(1) }),
  complete: { language: completeLanguage },
  guards: [moderator],
  async run({ options, services, channel, locale, t, reply }) {
    const emoji = emojiOf(options.emoji);
    const language = typedLanguage(options.language, services);
    const { flags } = await services.spaces.of(channel.space);
    if (!(emoji in flags.languages) && Object.keys(flags.languages).length >= MOST_EMOJI)
      throw userError('bad-input', 'flags.full', { most: MOST_EMOJI });
    await services.spaces.change(channel.space, {
      flags: { ...flags, languages: { ...flags.languages, [emoji]: language } },
    });
    const name = services.languages.name(language, locale);
    const lines = [t('flags.set', { emoji: shown(emoji), language: name })];
    if (!flags.on) lines.push(t('flags.are-off'));
    await reply({ text: lines.join('\n') });
  },
});

const remove = defineAction({
  options: z.object({ emoji: z.string().min(1).max(100) }),
  complete: { emoji: completeEmoji },
  guards: [moderator],
  async run({ options, services, channel, t, reply }) {
    const emoji = emojiOf(options.emoji);
    const { flags } = await services.spaces.of(channel.space);
    const { [emoji]: removed, ...languages } = flags.languages;
    if (removed === undefined)
      throw userError('not-found', 'flags.not-set', { emoji: shown(emoji) });
    await services.spaces.change(channel.space, { flags: { ...flags, languages } });
    await reply({ text: t('flags.removed', { emoji: shown(emoji) }) });
  },
});

const list = defineAction({
  private: true,
  async run({ services, channel, locale, t, reply }) {
    const { flags } = await services.spaces.of(channel.space);
    const own = Object.entries(flags.languages).map(
      ([emoji, language]) => `- ${shown(emoji)} → ${services.languages.name(language, locale)}`,
    );
    await reply({
      text: [
        t(flags.on ? 'flags.are-on' : 'flags.are-off'),
        ...(own.length > 0 ? [t('flags.own', { count: own.length }), ...own] : []),
      ].join('\n'),
    });
  },
});

export default defineCommandGroup(
  'flags',
  { set, remove, list },
  { needs: 'watch', topic: 'channels' },
);
