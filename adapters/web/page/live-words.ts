import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { DictatedWords } from '../../../src/model/message.ts';
import { t } from './boot.ts';
import type { LiveTranscript } from './live-transcript.ts';

const utterances = (words: readonly DictatedWords[]): unknown =>
  repeat(
    words,
    ({ id }) => id,
    ({ text, language }) =>
      html`<span lang=${language === '' ? nothing : language}>${text}</span> `,
  );

/**
 * Shows what was recognised so far. Only final words are announced, each once: a voice that reads
 * every partial would speak into the recording. The announced part is there before its first words.
 */
export const liveWords = ({ words, isOver }: LiveTranscript): TemplateResult => {
  const isEmpty = words.length === 0;
  return html`
    <div
      class=${isEmpty ? 'unseen' : 'words'}
      role=${isEmpty ? nothing : 'group'}
      aria-label=${isEmpty ? nothing : t('web.record.words')}
      tabindex=${isEmpty ? nothing : 0}
      dir="auto"
    >
      <span aria-live="polite">${utterances(words.filter(({ isFinal }) => isFinal))}</span>
      <span class="growing">${utterances(words.filter(({ isFinal }) => !isFinal))}</span>
      <p role="status">${isOver && !isEmpty ? t('web.record.words-stopped') : nothing}</p>
    </div>
  `;
};
