import { render } from 'preact';
import { App } from './app.js';
import './styles/base.css';
import './styles/parts.css';
import { texts } from './texts/index.js';

document.documentElement.lang = texts.language;
render(<App />, document.getElementById('app') as HTMLElement);
