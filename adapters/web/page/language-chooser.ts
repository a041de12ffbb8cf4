import { html, type TemplateResult } from 'lit';
import { api } from './api.ts';
import type { App } from './app.ts';
import { t } from './boot.ts';
import { icon } from './icons.ts';

/** In which language this reader wants the lounge. */
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
