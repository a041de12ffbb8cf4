import type { Press } from '../../src/command/command.ts';
import {
  audioFileOf,
  isBlankMessage,
  readerLanguage,
  resultOf,
} from '../../src/command/helpers.ts';
import type { MessageFile } from '../../src/model/message.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { userError } from '../../src/errors.ts';
import { plainWords, lines } from '../../src/rich-text/compose.ts';

/** Ids of messages, as the platforms write them. */
const isId = (written: string): boolean => /^[\d.]{1,40}$/.test(written);

/** The button under a compact reply: the whole translation of its message, for the one who presses, in their language. */
export const wholePress: Press = {
  private: true,
  async run(ctx) {
    const { access, arg: id, channel, locale, services, signal, t, reply } = ctx;
    await access.demandHistory(channel);
    const message = isId(id) ? await services.messages.read({ channel, id }) : undefined;
    const audio = message && audioFileOf(message);
    // The id is what the presser sent: a compact reply holds no messages of ours.
    const isOurs = message?.author.kind === 'ourselves';
    if (!message || isOurs || (isBlankMessage(message.text) && !audio))
      throw userError('not-found', 'errors.not-found');
    const place = { place: channel, lane: 'interactive' } as const;
    const { translations } = services.messages;
    const keep = translations.begin();
    const hear = async (file: MessageFile): Promise<RichText> => {
      const kept = translations.of(message, `heard ${file.id}`);
      if (kept) return kept.text;
      const heard = await resultOf(
        services.transcriber.transcribe({ audio: file, ...place }, signal),
      );
      const { language } = heard;
      const words = plainWords(heard.text);
      const spoken = { text: words, from: language, to: language, outcome: 'unchanged' } as const;
      keep(message, `heard ${file.id}`, spoken);
      return words;
    };
    const to = await readerLanguage(ctx);
    const translate = async () => {
      const text = lines(message.text, audio && (await hear(audio)));
      const expected = services.watches.of(channel)?.languages ?? [];
      const asked = services.translator.translate({ text, to, expected, ...place }, signal);
      const made = await resultOf(asked);
      keep(message, `whole ${to}`, made);
      return made;
    };
    const translation = translations.of(message, `whole ${to}`) ?? (await translate());
    const { outcome } = translation;
    if (outcome === 'translated' || outcome === 'unchanged')
      return reply({ text: translation.text });
    const language = services.languages.name(to, locale);
    await reply({ text: t(`translate.${outcome}`, { language }), tone: 'note' });
  },
};
