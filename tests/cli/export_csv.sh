make_run small run.roast
roast export run.roast --to csv -o tables && ls tables
wc -l tables/[a-q]*.csv tables/[s-z]*.csv | sed 's/^ *//'
head -c 17 tables/run.csv | cat -v
roast export run.roast --to csv --only chunks | cmp - tables/chunks.csv && echo "the same on standard output"
roast export run.roast --to csv --only datasets -o data.csv && cmp data.csv tables/datasets.csv && echo "and in a file"
roast export run.roast --to csv --only sections -o tables && ls tables | wc -l
ls -A
