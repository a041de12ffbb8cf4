import { t } from './boot.ts';

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
