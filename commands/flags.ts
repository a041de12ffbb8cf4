import { z } from 'zod';
import {
  defineAction,
  defineCommandGroup,
  moderator,
  richText,
  type Complete,
} from '../src/command/command.ts';
import { completeLanguage, typedCode, typedLanguage } from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { bullets, lines, onlyRow, sentence } from '../src/rich-text/compose.ts';
import type { Space } from '../src/model/place.ts';
import {
  emoji as customEmoji,
  type CustomEmoji,
  type RichText,
} from '../src/rich-text/rich-text.ts';
import { plainText } from '../src/rich-text/walk.ts';

const MOST_EMOJI = 100;
const LONGEST_EMOJI_CHARS = 100;

const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text);

/** The emoji as reactions name it: the id of a custom one, else the emoji itself. */
const emojiOf = (typed: RichText, { platform }: Space): string => {
  const [node, ...others] = onlyRow(typed) ?? [];
  if (node?.kind === 'emoji' && node.platform === platform && others.length === 0) return node.id;
  const words = plainText(typed);
  const emoji = [words, `${words}\uFE0F`].find(isEmoji);
  if (emoji === undefined)
    throw userError('bad-input', 'flags.no-emoji', { typed: typedCode(words) });
  return emoji;
};

const shown = (emoji: string, { platform }: Space): string | CustomEmoji =>
  isEmoji(emoji) ? emoji : customEmoji(platform, emoji, 'emoji');

const completeEmoji: Complete = async (typed, { services, space, locale }) => {
  const { flags } = await services.spaces.of(space);
  return Object.entries(flags.languages)
    .map(([emoji, language]) => ({
      value: emoji,
      label: `${emoji} ${services.languages.name(language, locale)}`,
    }))
    .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
};

const set = defineAction({
  options: z.object({ emoji: richText({ max: LONGEST_EMOJI_CHARS }), language: z.string().min(1) }),
  complete: { language: completeLanguage },
  guards: [moderator],
  async run({ options, services, channel, forReaders, reply }) {
    const { space } = channel;
    const emoji = emojiOf(options.emoji, space);
    const language = typedLanguage(options.language, services);
    await services.spaces.change(space, ({ flags }) => {
      const languages = { ...flags.languages, [emoji]: language };
      if (Object.keys(languages).length > MOST_EMOJI)
        throw userError('bad-input', 'flags.full', { most: MOST_EMOJI });
      return { flags: { ...flags, languages } };
    });
    const { flags } = await services.spaces.of(space);
    const { t, locale } = await forReaders();
    const name = services.languages.name(language, locale);
    await reply({
      text: lines(
        t('flags.set', { emoji: shown(emoji, space), language: name }),
        !flags.on && t('flags.are-off'),
      ),
    });
  },
});

const remove = defineAction({
  options: z.object({ emoji: richText({ max: LONGEST_EMOJI_CHARS }) }),
  complete: { emoji: completeEmoji },
  guards: [moderator],
  async run({ options, services, channel, forReaders, reply }) {
    const { space } = channel;
    const { flags } = await services.spaces.of(space);
    // A custom emoji is completed by its id.
    const typed = plainText(options.emoji);
    const emoji = Object.hasOwn(flags.languages, typed) ? typed : emojiOf(options.emoji, space);
    if (!Object.hasOwn(flags.languages, emoji))
      throw userError('not-found', 'flags.not-set', { emoji: shown(emoji, space) });
    await services.spaces.change(space, ({ flags: now }) => {
      const { [emoji]: _, ...languages } = now.languages;
      return { flags: { ...now, languages } };
    });
    const { t } = await forReaders();
    await reply({ text: t('flags.removed', { emoji: shown(emoji, space) }) });
  },
});

const MOST_MINUTES = 1_440;

/** `/flags expire`: has what flags bring removed again after some minutes; 0 keeps it. */
const expire = defineAction({
  options: z.object({ minutes: z.int().min(0).max(MOST_MINUTES) }),
  guards: [moderator],
  async run({ options, services, channel: { space }, forReaders, reply }) {
    const keptMinutes = options.minutes > 0 ? options.minutes : undefined;
    await services.spaces.change(space, ({ flags }) => ({ flags: { ...flags, keptMinutes } }));
    const { t } = await forReaders();
    await reply({
      text: keptMinutes ? t('flags.expire', { count: keptMinutes }) : t('flags.stay'),
    });
  },
});

const list = defineAction({
  private: true,
  async run({ services, channel: { space }, locale, t, reply }) {
    const { flags } = await services.spaces.of(space);
    const own = Object.entries(flags.languages).map(([emoji, language]) =>
      sentence(shown(emoji, space), ` → ${services.languages.name(language, locale)}`),
    );
    await reply({
      text: lines(
        t(flags.on ? 'flags.are-on' : 'flags.are-off'),
        flags.keptMinutes !== undefined && t('flags.expire', { count: flags.keptMinutes }),
        own.length > 0 && t('flags.own', { count: own.length }),
        bullets(...own),
      ),
    });
  },
});

export default defineCommandGroup(
  'flags',
  { set, remove, expire, list },
  { needs: 'watch', topic: 'channels' },
);
