import { html, nothing, type TemplateResult } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { PageFile, PageMessage, PageCommandUse } from '../protocol.ts';
import type { App } from './app.ts';
import { sizeText } from './completion.ts';
import { avatar, icon, clickOn } from './icons.ts';
import { boot, sentenceParts, t } from './boot.ts';
import { controlsView } from './controls.ts';
import type { TimestampStyle } from '../../../src/rich-text/rich-text.ts';
import { timeOf } from '../../../src/text/timestamps.ts';

/** A spoiler: hidden, from screen readers too, until somebody clicks it or presses Enter. */
export class SpoilerText extends HTMLElement {
  constructor() {
    super();
    this.addEventListener('click', () => this.#show());
    this.addEventListener('keydown', (event) => {
      if (this.role !== 'button' || (event.key !== 'Enter' && event.key !== ' ')) return;
      event.preventDefault();
      this.#show();
    });
  }

  connectedCallback(): void {
    this.role = 'button';
    this.tabIndex = 0;
    this.ariaLabel = t('web.message.spoiler');
  }

  #show(): void {
    this.role = null;
    this.ariaLabel = null;
    // It keeps the focus.
    this.tabIndex = -1;
  }
}

/** A time in the time zone of who reads it; the server writes it in UTC. */
export class LocalTime extends HTMLElement {
  connectedCallback(): void {
    const { seconds, style = 'f' } = this.dataset;
    const stamp = { seconds: Number(seconds), style: style as TimestampStyle };
    const { timeZone } = timeFormat.resolvedOptions();
    this.textContent = timeOf(stamp, boot.locale, Date.now(), timeZone);
  }
}

const timeFormat = new Intl.DateTimeFormat(boot.locale, { hour: 'numeric', minute: '2-digit' });
const fullFormat = new Intl.DateTimeFormat(boot.locale, { dateStyle: 'full', timeStyle: 'short' });
const languageNames = new Intl.DisplayNames([boot.locale], { type: 'language', fallback: 'code' });

const languageName = (code: string): string => {
  try {
    return languageNames.of(code) ?? code;
  } catch {
    return code;
  }
};

/** Pictures that every browser shows, and that cannot hold a script. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

const pictureView = (file: PageFile): TemplateResult => html`
  <a class="picture" href="files/${file.id}" download=${file.name}
    ><img src="files/${file.id}" alt=${t('web.file.picture', { name: file.name })} loading="lazy"
  /></a>
`;

const fileView = (file: PageFile): TemplateResult => {
  if (PICTURES.test(file.mediaType)) return pictureView(file);
  const url = `files/${file.id}`;
  const size = sizeText(file.sizeBytes, boot.locale);
  return html`
    <div class="file">
      ${
        file.mediaType.startsWith('audio/')
          ? html`<audio-player
              .src=${url}
              .name=${file.name}
              .size=${file.sizeBytes}
            ></audio-player>`
          : html`<span class="kind">${icon('file')}</span>`
      }
      <a
        class="download"
        href=${url}
        download=${file.name}
        aria-label=${t('web.file.download', { name: file.name })}
      >
        ${icon('download')}<bdi class="file-name">${file.name}</bdi></a
      ><span class="size">${size}</span>
    </div>
  `;
};

const useView = ({ command, options }: PageCommandUse): TemplateResult => html`
  <div class="use">
    <span class="command">/${command}</span>
    ${options.map(
      ({ name, value }) =>
        html`<span class="given"><span class="option">${name}</span><bdi>${value}</bdi></span>`,
    )}
  </div>
`;

/** HTML that the server wrote, without any HTML of an author in it. */
const body = (markup: string, language?: string): TemplateResult => html`
  <div class="body" dir="auto" lang=${language ?? nothing}>${unsafeHTML(markup)}</div>
`;

const original = (message: PageMessage, shown: boolean): TemplateResult => html`
  <details class="original" ?open=${shown}>
    <summary>${t('web.lounge.original')}</summary>
    ${body(message.html)}
  </details>
`;

const translatedBody = (message: PageMessage, originals: boolean): TemplateResult => {
  const { translation } = message;
  if (!translation || translation.state === 'same') return body(message.html);
  if (translation.state === 'failed')
    return html`${body(message.html)}
      <p class="aside fault">${t('web.lounge.failed', { reason: translation.reason ?? '' })}</p>`;
  if (translation.html === '')
    return html`${body(message.html)}
      <p class="aside">
        ${t('web.lounge.translating', { language: languageName(translation.language) })}
      </p>`;
  return html`${body(translation.html, translation.language)} ${original(message, originals)}`;
};

const working = (app: App, message: PageMessage, mine: boolean): TemplateResult => html`
  <div class="working">
    <span class="dots" role="status" aria-label=${t('web.message.working')}
      ><i></i><i></i><i></i
    ></span>
    ${
      mine
        ? html`<button
            type="button"
            class="stop"
            @click=${clickOn(t('web.message.stop'), () => app.stop(message.id))}
          >
            ${icon('stop')}${t('web.message.stop')}
          </button>`
        : nothing
    }
  </div>
`;

const jump = (event: Event): void => {
  event.preventDefault();
  const id = (event.currentTarget as HTMLAnchorElement).hash.slice(1);
  const target = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
  target?.scrollIntoView({ block: 'center' });
  target?.focus();
};

const replyLine = (asked: PageMessage | undefined): TemplateResult | typeof nothing =>
  asked
    ? html`<a class="reply-to" href="#m-${asked.id}" @click=${jump}>
        ${
          asked.use
            ? sentenceParts('web.message.reply-to', {
                name: html`<bdi>${asked.author.name}</bdi>`,
                command: html`<code>/${asked.use.command}</code>`,
              })
            : html`<bdi>${asked.author.name}</bdi>`
        }
      </a>`
    : nothing;

interface MessageView {
  readonly message: PageMessage;
  /** True when the author's line above makes a head of its own needless. */
  readonly follows: boolean;
  /** True when the message that this answers stands right above. */
  readonly underQuestion: boolean;
}

export const messageView = (
  app: App,
  { message, follows, underQuestion }: MessageView,
): TemplateResult => {
  const { me, messages, originals } = app.store.get();
  const { author, sentAtMs, tone } = message;
  const asked = message.replyTo === undefined ? undefined : messages.get(message.replyTo);
  const sent = new Date(sentAtMs);
  const time = html`<time datetime=${sent.toISOString()} title=${fullFormat.format(sent)}
    >${timeFormat.format(sent)}</time
  >`;
  return html`
    <article
      id="m-${message.id}"
      tabindex="-1"
      class=${classMap({ message: true, follows, ours: author.ours, 'under-question': underQuestion, [tone]: true })}
      aria-busy=${message.working ? 'true' : 'false'}
      aria-labelledby="a-${message.id}"
    >
      <div class="side">${follows ? time : avatar(author)}</div>
      <div class="main">
        <header class=${follows ? 'unseen' : ''} id="a-${message.id}">
          <bdi class="author">${author.name}</bdi>
          ${author.ours ? html`<span class="badge">${t('web.message.interpreter')}</span>` : nothing}
          ${time}
          ${
            message.onlyYou && author.ours
              ? html`<span class="only-you">${icon('eye')}${t('web.message.only-you')}</span>`
              : nothing
          }
        </header>
        ${underQuestion ? nothing : replyLine(asked)}
        ${message.use ? useView(message.use) : nothing}
        ${message.html === '' ? nothing : translatedBody(message, originals)}
        ${message.files.map(fileView)} ${controlsView(app, message)}
        ${message.working ? working(app, message, asked?.author.id === me?.id) : nothing}
      </div>
    </article>
  `;
};
