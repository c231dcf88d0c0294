"""Texts of files by other readers: reads paths from standard input, writes a line of JSON with a text per reader.

pip install python-docx docx2txt mammoth python-pptx python-calamine openpyxl pypdf pypdfium2 cryptography beautifulsoup4 lxml
html2text inscriptis; poppler-utils for pdftotext.
"""
import io, json, re, signal, subprocess, sys, warnings

warnings.simplefilter('ignore')


def python_docx(path):
    import docx
    from lxml import etree
    document = docx.Document(path)
    parts = [document.element.body]
    # Each header and footer once; headers of older versions may be unused.
    for relation in document.part.rels.values():
        if not relation.is_external and re.search(r'/(header|footer|footnotes|endnotes|comments)$', relation.reltype):
            parts.append(etree.fromstring(relation.target_part.blob))
    name = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
    kinds = [name + kind for kind in ('p', 't', 'tab', 'ptab', 'br', 'cr', 'tabs')]
    fallback = '{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback'
    lines = []
    for part in parts:
        # The alternative for older programs repeats the text.
        for node in [node for node in part.iter(fallback) if node.getprevious() is not None]:
            node.getparent().remove(node)
        lines.append('\n')
        for node in part.iter(*kinds):
            if node.tag == name + 'p':
                lines.append('\n')
            elif node.tag == name + 't':
                lines.append(node.text or '')
            elif node.tag != name + 'tabs' and node.getparent().tag != name + 'tabs':
                lines.append(' ')
    return ''.join(lines)


def docx2txt(path):
    import docx2txt as reader
    return reader.process(path)


def mammoth(path):
    import mammoth as reader
    with open(path, 'rb') as file:
        return reader.extract_raw_text(file).value


def python_pptx(path):
    import pptx
    lines = []

    def read(shapes):
        for shape in shapes:
            if shape.shape_type == 6:
                read(shape.shapes)
            elif getattr(shape, 'has_text_frame', False) and shape.has_text_frame:
                lines.append(shape.text_frame.text)
            elif getattr(shape, 'has_table', False) and shape.has_table:
                lines.extend(cell.text for row in shape.table.rows for cell in row.cells)

    for slide in pptx.Presentation(path).slides:
        read(slide.shapes)
        if slide.has_notes_slide:
            read(slide.notes_slide.shapes)
    return '\n'.join(lines)


def pptx_xml(path):
    import zipfile
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.match(r'ppt/(slides|notesSlides|diagrams/data|charts/chart)[^_]*\.xml$', name)]
        sources = [archive.read(name).decode('utf8', 'replace') for name in names]
    paragraphs = [p for source in sources for p in re.findall(r'<a:p[ >].*?</a:p>', source, re.S)]
    import html
    return '\n'.join(html.unescape(''.join(re.findall(r'<a:t>([^<]*)</a:t>', p))) for p in paragraphs)


def calamine(path):
    from python_calamine import CalamineWorkbook
    book = CalamineWorkbook.from_path(path)
    return '\n'.join(str(cell) for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python() for cell in row if isinstance(cell, str))


def openpyxl(path):
    import openpyxl as reader
    with open(path, 'rb') as file:
        book = reader.load_workbook(io.BytesIO(file.read()), read_only=False, data_only=True)
    lines = []
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str):
                    lines.append(cell.value)
                if cell.comment:
                    lines.append(cell.comment.text)
    return '\n'.join(lines)


def poppler(path):
    return subprocess.run(['pdftotext', '-enc', 'UTF-8', path, '-'], capture_output=True, timeout=60, check=True).stdout.decode('utf8', 'replace')


def pypdf(path):
    from pypdf import PdfReader
    return '\n'.join(page.extract_text() for page in PdfReader(path).pages)


def pdfium(path):
    import pypdfium2
    return '\n'.join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)).replace('\ufffe', '')


def source(path):
    with open(path, 'rb') as file:
        return file.read()


def beautifulsoup(path):
    from bs4 import BeautifulSoup
    soup = BeautifulSoup(source(path), 'lxml')
    for tag in soup(['head', 'script', 'style', 'template', 'noscript']):
        tag.decompose()
    inline = set('a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb s samp small span strike strong sub sup time tt u var wbr'.split())
    for tag in soup(True):
        if tag.name not in inline:
            tag.insert_before('\n')
            tag.insert_after('\n')
    return soup.get_text('')


def declared(path):
    from bs4.dammit import UnicodeDammit
    return UnicodeDammit(source(path), is_html=True).unicode_markup


def to_markdown(path):
    import html2text
    reader = html2text.HTML2Text(bodywidth=0)
    reader.ignore_links = reader.ignore_images = True
    return reader.handle(declared(path))


def inscriptis(path):
    from inscriptis import get_text
    return get_text(declared(path))


def contents(path):
    """All words that a file contains anywhere, even where no reader looks: what is none of them is invented."""
    return '\n'.join(pieces(source(path), 0))


def pieces(data, depth):
    import html, zipfile
    if data[:4] == b'PK\x03\x04' and depth < 4:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield name
                if archive.getinfo(name).file_size < MAX_LENGTH:
                    yield from pieces(archive.read(name), depth + 1)
    elif data[:1] == b'<' or data[:4] == b'\xef\xbb\xbf<':
        text = data.decode('utf8', 'replace')
        # Runs of a paragraph may split a word.
        for paragraph in re.split(r'</(?:\w+:)?(?:p|si|is|c)>', text):
            yield html.unescape(re.sub(r'<[^>]*>', '', paragraph))
            # Of truth values, workbooks contain only the numbers.
            yield 'TRUE FALSE' if ' t="b"' in paragraph else ''
            yield html.unescape(' '.join(re.findall(r'"([^"]*)"', paragraph)))
    else:
        # Documents of older formats contain text in either of these encodings.
        for encoding in ('cp1252', 'utf-16-le'):
            text = data.decode(encoding, 'replace')
            yield from re.findall(r'[\x20-\x7e\xa0-\u024f]{2,}', text)
            if encoding == 'utf-16-le':
                yield data[1:].decode(encoding, 'replace') if depth > 0 else ''


def annotations(path):
    from pypdf import PdfReader
    lines = []
    for page in PdfReader(path).pages:
        for annotation in page.get('/Annots') or []:
            node = annotation.get_object()
            while node is not None:
                lines += [str(node[key]) for key in ('/Contents', '/T', '/TU', '/V') if key in node]
                node = node['/Parent'].get_object() if '/Parent' in node else None
    return '\n'.join(lines)


READERS = {
    'docx': [python_docx, docx2txt, mammoth],
    'pptx': [python_pptx, pptx_xml],
    'xlsx': [calamine, openpyxl],
    'pdf': [poppler, pypdf, pdfium],
    'html': [beautifulsoup, to_markdown, inscriptis],
    'contents': [contents],
    'annotations': [annotations],
}

# Some files expand to gigabytes.
MAX_LENGTH = 20_000_000
MAX_SECONDS = 60


def interrupt(*_):
    raise TimeoutError


# Processor time: how much else the machine has to do does not matter.
signal.signal(signal.SIGPROF, interrupt)
for line in sys.stdin:
    path, kind = json.loads(line)
    texts = {}
    for reader in READERS[kind]:
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        try:
            text = reader(path)
            if len(text) <= MAX_LENGTH:
                texts[reader.__name__] = text
        except BaseException:
            pass
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps(texts), flush=True)
