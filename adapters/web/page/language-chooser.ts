import { html, type TemplateResult } from 'lit';
import { api } from './api.ts';
import type { App } from './app.ts';
import { t } from './boot.ts';
import { icon } from './icons.ts';

/** The choice of the language that this reader reads the lounge in. */
export const languageChooser = (app: App): TemplateResult => html`
  <div class="reading">
    ${icon('globe')}<span aria-hidden="true">${t('web.lounge.read-in')}</span>
    <combo-box
      .label=${t('web.lounge.read-in')}
      .value=${app.store.get().me?.languageName ?? ''}
      .search=${api.languages}
      @choose=${(event: CustomEvent<string>) => app.readIn(event.detail)}
    ></combo-box>
  </div>
`;
