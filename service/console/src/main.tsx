import { render } from 'preact';
import { App } from './app.js';
// Order matters: rules in a later file override those in an earlier one.
import './styles/theme.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/frame.css';
import './styles/title.css';
import './styles/status.css';
import './styles/tables.css';
import './styles/dialogs.css';
import './styles/forms.css';
import './styles/results.css';
import './styles/search.css';
import './styles/docs.css';
import './styles/charts.css';
import './styles/narrow.css';
import { texts } from './texts/index.js';

document.documentElement.lang = texts.language;
render(<App />, document.getElementById('app') as HTMLElement);
