import { html, type TemplateResult } from 'lit';

/** A table that scrolls on its own where it is too wide, with the keyboard, too. */
export const tableFrame = (label: string, table: TemplateResult): TemplateResult => html`
  <div class="table-frame" tabindex="0" role="region" aria-label=${label}>${table}</div>
`;
