import type { Press } from '../../src/command/command.ts';
import {
  button,
  excerpt,
  quotedWords,
  readerLanguage,
  resultOf,
} from '../../src/command/helpers.ts';
import { bullets, lines, sentence } from '../../src/rich-text/compose.ts';
import type { Message } from '../../src/model/message.ts';
import { styled, text, type RichText } from '../../src/rich-text/rich-text.ts';

/** Messages that are shown at once, and the length to which each is cut, in UTF-16 units. */
const MOST_MESSAGES = 10;
const SHOWN_CHARS = 400;

/** The button of such a line: the channel's last messages, for the one who presses, in their language. */
export const readPress: Press = {
  private: true,
  isForEverybody: true,
  async run(ctx) {
    const { access, channel, locale, services, signal, t, reply } = ctx;
    await access.demand([channel], 'see');
    const to = await readerLanguage(ctx);
    const messages = await services.messages.recent(channel, MOST_MESSAGES, signal);
    if (messages.length === 0) return reply({ text: t('autotranslate.read-none'), tone: 'note' });
    const shown = async ({ author, text: written }: Message): Promise<RichText> => {
      const request = { text: written, to, place: channel, lane: 'interactive' } as const;
      const { text: words } = await resultOf(services.translator.translate(request, signal));
      const name = styled('bold', text(quotedWords(author.name) || '…'));
      return sentence(name, `: ${excerpt(words, SHOWN_CHARS)}`);
    };
    const language = services.languages.name(to, locale);
    const heading = t('autotranslate.read-heading', { count: messages.length, language });
    await reply({
      text: lines(heading, bullets(...(await Promise.all(messages.map(shown))))),
      controls: [button(ctx, 'language pick', 'language.button')],
    });
  },
};
