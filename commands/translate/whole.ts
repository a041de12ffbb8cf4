import type { Press } from '../../src/command/command.ts';
import {
  audioFileOf,
  isBlankMessage,
  readerLanguage,
  resultOf,
} from '../../src/command/helpers.ts';
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
    const heard =
      audio && (await resultOf(services.transcriber.transcribe({ audio, ...place }, signal)));
    const text = lines(message.text, heard && plainWords(heard.text));
    const to = await readerLanguage(ctx);
    const expected = services.watches.of(channel)?.languages ?? [];
    const asked = services.translator.translate({ text, to, expected, ...place }, signal);
    const translation = await resultOf(asked);
    const { outcome } = translation;
    if (outcome === 'translated' || outcome === 'unchanged')
      return reply({ text: translation.text });
    const language = services.languages.name(to, locale);
    await reply({ text: t(`translate.${outcome}`, { language }), tone: 'note' });
  },
};
