import { t } from './boot.ts';

/** A spoiler: hidden, from screen readers too, until somebody clicks it or presses Enter. */
export class SpoilerText extends HTMLElement {
  connectedCallback(): void {
    this.role = 'button';
    this.tabIndex = 0;
    this.ariaLabel = t('web.message.spoiler');
    this.onclick = () => this.#show();
    this.onkeydown = (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      this.#show();
    };
  }

  #show(): void {
    this.role = null;
    this.ariaLabel = null;
    // It keeps the focus.
    this.tabIndex = -1;
    this.onclick = null;
    this.onkeydown = null;
  }
}
